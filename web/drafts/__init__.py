"""Programs that are being written, kept on the server."""
