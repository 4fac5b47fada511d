"""A whole guarded run on a throwaway repository, as a host would play it."""
