"""Problems that are being written: workspaces, who works in them, their history and their proofs."""
