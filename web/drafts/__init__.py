"""Drafts of programs, stored on the server."""
