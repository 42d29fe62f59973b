"""Tracks: ordered paths of problems."""
