"""What may be done: boundary, control plane, hard danger, policies and their order."""
