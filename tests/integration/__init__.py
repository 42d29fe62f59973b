"""Tests that use real services."""
