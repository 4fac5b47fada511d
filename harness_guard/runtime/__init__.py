"""What runs before and around the package: front door, deadline, provisioning, generated files."""
