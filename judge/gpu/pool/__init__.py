"""The secret pool of a GPU: test data drawn ahead of the submissions that need it."""
