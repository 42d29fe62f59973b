"""The primer with its tasks, and a page for each concept."""
