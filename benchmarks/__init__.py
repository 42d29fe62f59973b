"""Measurements. Each module runs by itself, prints a table and states ratios, never a pass or fail."""
