"""Proofs of problems: a package must accept right programs and reject wrong ones."""
