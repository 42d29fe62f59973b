"""The audit log, and what every page of staff has in common."""
