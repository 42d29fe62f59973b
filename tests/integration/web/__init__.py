"""The site and its worker with real services."""
