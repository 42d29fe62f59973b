"""CUDA on the CPU: PTX translated to C++ and executed by a runtime of our own."""
