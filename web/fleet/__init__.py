"""The nodes that judge, and their GPUs."""
