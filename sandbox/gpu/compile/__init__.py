"""Compiles CUDA submissions for real GPUs, in warm sandboxes without one."""
