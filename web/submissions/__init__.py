"""Submissions, the jobs that judge them, and their reports."""
