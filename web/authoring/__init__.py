"""Authoring of problems: workspaces, their members, their history and their proofs."""
