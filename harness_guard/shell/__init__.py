"""Command text to effects: what it reads, writes, runs, or why that is unknown."""
