"""The pages on which problems are found and solved."""
