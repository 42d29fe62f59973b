"""Importers convert problem sets on an operator's disk to packages. Warpcourt ships none of these sets."""
