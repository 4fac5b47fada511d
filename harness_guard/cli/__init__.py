"""The command line ``harness-guard``: what a person, or an agent in a run, asks the guard."""
