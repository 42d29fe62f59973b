"""What people show of themselves."""
