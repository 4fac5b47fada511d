"""The decisions: event, state and facts in, outcome out; no clock, no disk, no environment."""
