"""Limits of GPU time per day for users, classes and nodes."""
