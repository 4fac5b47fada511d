"""What is kept: sealed state, lock, journal, first answers; nothing here decides anything."""
