"""The pages of submissions."""
