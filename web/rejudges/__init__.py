"""Submissions judged again out of sight."""
