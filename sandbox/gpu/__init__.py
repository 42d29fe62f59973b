"""GPUs for sandboxes: leases, MPS, NVML, health, the compile stage and the runners."""
