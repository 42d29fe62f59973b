"""The checks of `deploy/check-environment`. Standard library alone, so that they run on a bare host."""
