"""Changes to problem.toml that keep its author's comments and order. Functions of texts and values alone."""
