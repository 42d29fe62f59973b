"""Pages for those who run the site, and the audit log."""
