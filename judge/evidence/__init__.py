"""Parses the output of compilers, sanitizers and runners as hostile text."""
