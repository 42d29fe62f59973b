"""Importers: problem sets that an operator has on disk become packages. Nothing of them is shipped."""
