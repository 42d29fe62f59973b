"""Template tags of discussions."""
