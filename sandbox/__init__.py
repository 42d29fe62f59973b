"""Isolation backends, toolchains, and the only code of ours that runs beside user code."""
