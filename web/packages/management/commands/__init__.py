"""Management commands of versions."""
