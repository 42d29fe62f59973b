"""Isolation backends, toolchains, and the only code of Warpcourt that runs in sandboxes of user code."""
