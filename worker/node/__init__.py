"""The service of a GPU host: keeps its GPUs fit to judge, and tells the database about them."""
