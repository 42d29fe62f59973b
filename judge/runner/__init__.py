"""The judge's side of one run: the channel to the runner, its buffers, and the check of its outputs."""
