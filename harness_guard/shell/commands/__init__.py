"""The table of programs: what each reads and writes, and which of its options are known."""
