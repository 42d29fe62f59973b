"""Profiles of users."""
