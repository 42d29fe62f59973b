"""Warpcourt's code that runs inside sandboxes, together with code of authors and submitters."""
