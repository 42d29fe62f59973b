"""Limits of GPU time per day for users and classes."""
