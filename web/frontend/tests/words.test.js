import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, CUDA, pattern, TRITON } from "../src/editor/words.js";

const found = (list, text) => [...text.matchAll(pattern(list))].map(([word]) => word);

test("CUDA words are found as whole words", () => {
  assert.deepEqual(found(CUDA, "__global__ void f() { int i = threadIdx.x; }"), ["__global__", "threadIdx"]);
  assert.deepEqual(found(CUDA, "my__global__ threadIdxs x.blockDim"), []);
});

test("the longer word wins", () => {
  assert.deepEqual(found(CUDA, "__threadfence_block()"), ["__threadfence_block"]);
});

test("Triton words with dots are found", () => {
  assert.deepEqual(found(TRITON, "@triton.jit\ndef k(n: tl.constexpr):\n  p = tl.program_id(0)"), ["triton.jit", "tl.constexpr", "tl.program_id"]);
});

test("completion replaces the word before the cursor", () => {
  assert.equal(complete(TRITON, "x = tl.lo", { explicit: false }).length, "tl.lo".length);
  assert.equal(complete(CUDA, "x = ", { explicit: false }), null);
  assert.equal(complete(CUDA, "x = ", { explicit: true }).length, 0);
});

test("no word is listed twice", () => {
  for (const list of [CUDA, TRITON]) {
    const labels = list.map(({ label }) => label);
    assert.equal(new Set(labels).size, labels.length);
  }
});
