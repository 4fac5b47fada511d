"""harness-guard: what a human approved is what can happen, and "done" means proved."""
