import assert from "node:assert/strict";
import test from "node:test";

import { countValues } from "../src/lib/values.js";

test("values are counted as the server reads them", () => {
  assert.equal(countValues(""), 0);
  assert.equal(countValues(" 1, 2;3\n-inf "), 4);
  assert.equal(countValues("[[1, 2], [3, 4]]"), 4);
});
