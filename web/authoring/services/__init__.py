"""Writes about workspaces."""
