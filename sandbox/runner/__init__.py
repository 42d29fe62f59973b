"""Code of ours that runs inside sandboxes, beside the code of authors and submitters."""
