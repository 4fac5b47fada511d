"""Hosts in, hosts out: payloads to events, decisions to answers."""
