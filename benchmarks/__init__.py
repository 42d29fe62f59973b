"""Measurements. Each module is a program that prints a table of ratios, without pass or fail."""
