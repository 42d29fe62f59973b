"""Discussions about problems, for users who solved them."""
