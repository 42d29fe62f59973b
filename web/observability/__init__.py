"""Metrics, request ids in log lines, and traces, for administrators."""
