"""Staff pages and the audit log."""
