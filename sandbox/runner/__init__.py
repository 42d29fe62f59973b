"""Our code that runs inside sandboxes, together with the code of authors and submitters."""
