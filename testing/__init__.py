"""Starts services and finds ports for tests, benchmarks and checks of this repository."""
