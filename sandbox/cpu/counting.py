"""The counters that a program must be compiled for, by their names in problem.toml.

All others cost a program nothing that it would not do anyway, or are counted by the runtime. Standard library
only: it also runs inside the compile sandbox.
"""

# Kinds of instructions, see `sandbox.cpu.translator.families`.
INSTRUCTIONS = frozenset(
    {
        "tensor_instructions",
        "ldmatrix_instructions",
        "async_copy_instructions",
        "shuffle_instructions",
        "reduction_instructions",
        "dot_product_instructions",
        "texture_instructions",
        "special_instructions",
        "double_instructions",
        "fma_instructions",
        "multiply_instructions",
        "shared_load_instructions",
    }
)
# More branches than other programs count, see `sandbox.cpu.translator.branches`.
DATA_BRANCHES = "divergent_branches"
# What ptxas knows.
RESOURCES = frozenset({"registers_per_thread", "spilled_bytes", "local_bytes_per_thread", "occupancy"})
COMPILED = INSTRUCTIONS | RESOURCES | {DATA_BRANCHES}
