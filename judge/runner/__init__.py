"""Our side of one run: the channel to the runner, the buffers it gets, and the check of what it leaves."""
