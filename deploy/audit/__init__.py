"""The checks of `deploy/check-environment`.

They use only the standard library, so they run on a bare host.
"""
