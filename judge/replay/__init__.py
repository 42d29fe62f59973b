"""Replays: the order in which a CUDA program used memory in a case, from functional mode to a web page."""
