"""Problem packages: their schema, their loader and, in one folder each, their content."""
