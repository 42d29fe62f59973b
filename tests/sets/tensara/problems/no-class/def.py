class something_else:
    pass
