import assert from "node:assert/strict";
import { test } from "node:test";
import { complete } from "../src/editor/complete.js";
import { CUDA } from "../src/editor/words/cuda.js";
import { CUDA_WORDS, TORCH_WORDS, TRITON_WORDS } from "../src/editor/words/patterns.js";
import { TORCH } from "../src/editor/words/torch.js";
import { TRITON } from "../src/editor/words/triton.js";

const found = (pattern, text) => [...text.matchAll(pattern)].map(([word]) => word);

test("CUDA words are found as whole words", () => {
  assert.deepEqual(found(CUDA_WORDS, "__global__ void f() { int i = threadIdx.x; }"), ["__global__", "threadIdx"]);
  assert.deepEqual(found(CUDA_WORDS, "my__global__ threadIdxs x.blockDim"), []);
});

test("words with a longer name are found whole", () => {
  assert.deepEqual(found(CUDA_WORDS, "__threadfence_block(); atomicAdd_system(p, 1); cudaMemcpyAsync()"), ["__threadfence_block", "atomicAdd_system", "cudaMemcpyAsync"]);
});

test("Triton words with dots are found", () => {
  assert.deepEqual(found(TRITON_WORDS, "@triton.jit\ndef k(n: tl.constexpr):\n  p = tl.program_id(0)"), ["triton.jit", "tl.constexpr", "tl.program_id"]);
  assert.deepEqual(found(TRITON_WORDS, "import triton.language as tl"), ["triton.language"]);
});

test("PyTorch words are found with Triton's", () => {
  assert.deepEqual(found(TORCH_WORDS, "y = torch.nn.functional.relu(x) + mytorch.x\nk = tl.load(p)"), ["torch.nn.functional.relu", "tl.load"]);
});

test("completion replaces the word before the cursor", () => {
  assert.equal(complete(TRITON, "x = tl.lo", { explicit: false }).length, "tl.lo".length);
  assert.equal(complete(CUDA, "cub::Bl", { explicit: false }).length, "cub::Bl".length);
  assert.equal(complete(CUDA, "x = ", { explicit: false }), null);
  assert.equal(complete(CUDA, "x = ", { explicit: true }).length, 0);
});

test("no word is listed twice, and each says what it means", () => {
  for (const list of [CUDA, TORCH, TRITON]) {
    const labels = list.map(({ label }) => label);
    assert.equal(new Set(labels).size, labels.length);
    for (const { label, info } of list) assert.ok(info.length > 3, label);
  }
});

test("the lists are generous", () => {
  assert.ok(CUDA.length > 180 && TRITON.length > 100, `${CUDA.length} ${TRITON.length}`);
});
