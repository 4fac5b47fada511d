"""Drivers of the real host binaries: throwaway worlds, scripted models, and one report vocabulary for both hosts."""
