"""Judging on the GPUs of this node."""
