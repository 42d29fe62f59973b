// What the languages' own grammars do not know, as patterns. Completion has the words themselves.

const CUDA_VARIABLES = "threadIdx|blockIdx|blockDim|gridDim|warpSize";
const CUDA_FUNCTIONS = "cuda[A-Z]\\w*|atomic(?:Add|Sub|Max|Min|Exch|CAS|Inc|Dec|And|Or|Xor)(?:_block|_system)?|wmma|cooperative_groups|cub";

/** Finds words of CUDA C++: whole words, and anything with two leading underscores. */
export const CUDA_WORDS = new RegExp(String.raw`(?<![\w.])(?:__[A-Za-z]\w*|${CUDA_VARIABLES}|${CUDA_FUNCTIONS})(?!\w)`, "g");

/** Finds words of Triton with their module: `tl.load`, `triton.jit`. */
export const TRITON_WORDS = /(?<![\w.])(?:tl|triton)\.[A-Za-z]\w*(?:\.[A-Za-z]\w*)*/g;

/** Finds words of PyTorch, and of Triton, with their module: `torch.nn.Linear`, `tl.load`. */
export const TORCH_WORDS = /(?<![\w.])(?:torch|tl|triton)\.[A-Za-z]\w*(?:\.[A-Za-z]\w*)*/g;
