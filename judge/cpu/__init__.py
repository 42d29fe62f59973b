"""Judging on the CPU of this host, in functional mode."""
