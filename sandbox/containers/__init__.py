"""Isolation by containers of a Docker engine."""
