"""Connecting accounts and disconnecting them: what command line and service share."""
