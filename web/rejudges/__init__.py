"""Rejudges: hidden runs of earlier submissions."""
