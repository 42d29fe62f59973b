// When a part of a page that asks for itself anew is left alone.

import assert from "node:assert/strict";
import { test } from "node:test";

import { mayChange } from "../src/widgets/live.js";

/** A page on which nobody does anything, but for what is said. */
function look({ hidden = false, marked = false, menu = false }) {
  const element = { contains: () => true, querySelector: () => (menu ? {} : null) };
  globalThis.document = { hidden };
  globalThis.getSelection = () => ({ isCollapsed: !marked, anchorNode: {} });
  return mayChange(element);
}

test("it changes while somebody only looks at it", () => {
  assert.equal(look({}), true);
});

test("it is left alone where a change would take something away, or nobody would see it", () => {
  assert.equal(look({ hidden: true }), false);
  assert.equal(look({ marked: true }), false);
  assert.equal(look({ menu: true }), false);
});
