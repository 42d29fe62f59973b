"""Replays: the order of a CUDA program's memory accesses in a case, from functional mode to a web page."""
