"""The rows of hard danger, a file for each concern."""
