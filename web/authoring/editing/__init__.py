"""Edits of problem.toml that keep its comments and order. All functions take and return texts and values."""
