"""The counters for which a program must be specially compiled, by their names in problem.toml.

Other counters need no special compilation: programs always count them, or the runtime does. Standard library
only, because it also runs inside the compile sandbox.
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
# These count more branches than usual, see `sandbox.cpu.translator.branches`.
DATA_BRANCHES = "divergent_branches"
# Figures of ptxas.
RESOURCES = frozenset({"registers_per_thread", "spilled_bytes", "local_bytes_per_thread", "occupancy"})
COMPILED = INSTRUCTIONS | RESOURCES | {DATA_BRANCHES}
