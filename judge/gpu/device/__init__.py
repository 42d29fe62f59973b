"""The referee on a GPU: its process, its memory, and the comparison of outputs in GPU memory."""
