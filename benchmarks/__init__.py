"""Benchmarks. Each module is a program that measures something and prints a table of ratios."""
