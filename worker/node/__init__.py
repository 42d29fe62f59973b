"""The service of a GPU host: monitors its GPUs and reports them to the database."""
