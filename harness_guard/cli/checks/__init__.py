"""What ``doctor`` looks at: one module for each kind of thing that can be wrong."""
