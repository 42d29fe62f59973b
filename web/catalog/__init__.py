"""The catalogue of problems. It is synced from packages."""
