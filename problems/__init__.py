"""Problem packages: their schema and loader, and a folder for each package."""
