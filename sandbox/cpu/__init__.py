"""CUDA on the CPU: PTX is translated to C++, which Warpcourt's runtime executes."""
