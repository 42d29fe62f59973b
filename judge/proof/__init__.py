"""Proofs of problems: that a package judges right programs right and wrong ones wrong."""
