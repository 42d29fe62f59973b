"""Isolation backends, toolchains, and the only code of ours that runs in the same sandbox as user code."""
