"""The nodes that judge submissions, and their GPUs."""
