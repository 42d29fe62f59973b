import assert from "node:assert/strict";
import { test } from "node:test";

import { extend, format, parse } from "../src/lib/lines.js";

test("an address names a line or a range of lines", () => {
  assert.deepEqual(parse("#L10"), { first: 10, last: 10 });
  assert.deepEqual(parse("#L10-L20"), { first: 10, last: 20 });
  assert.deepEqual(parse("#L20-10"), { first: 10, last: 20 });
  for (const other of ["", "#", "#Lx", "#L1-", "#main", "#L1-L2-L3"]) assert.equal(parse(other), null);
});

test("what is named can be read again", () => {
  for (const hash of ["#L1", "#L3-L4"]) assert.equal(format(parse(hash)), hash);
});

test("a range reaches from where it began to the line that was chosen", () => {
  assert.deepEqual(extend(null, 4), { first: 4, last: 4 });
  assert.deepEqual(extend({ first: 4, last: 4 }, 9), { first: 4, last: 9 });
  assert.deepEqual(extend({ first: 4, last: 9 }, 2), { first: 2, last: 4 });
});
