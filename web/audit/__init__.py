"""The audit log, and the code that all staff pages share."""
