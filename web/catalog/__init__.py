"""The problems that the site offers, synced from packages."""
