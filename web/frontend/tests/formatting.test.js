import assert from "node:assert/strict";
import { test } from "node:test";
import { mismatch } from "../src/formatter/brackets.js";
import { edits } from "../src/lib/edits.js";

function applied(before, changes) {
  let [text, at] = ["", 0];
  for (const { from, to, insert } of changes) {
    assert.ok(from >= at && to >= from && to <= before.length);
    text += before.slice(at, from) + insert;
    at = to;
  }
  return text + before.slice(at);
}

test("edits lead from one text to the other", () => {
  const texts = ["", "a", "a\n", "\n\na\n", "a\nb\nc\n", "a\n  b\nc", "  a \nc\nb\n", "x = 'a'\ny = (1,2)\n", 'x = "a"\ny = (1, 2)', "f(a,\n  b)\n", "f(a, b)"];
  for (const before of texts) for (const after of texts) assert.equal(applied(before, edits(before, after)), after);
});

test("white space changes alone, and a line that differs only where it differs", () => {
  assert.deepEqual(edits("int a;\nint  b;\n", "int a;\n    int b;\n"), [
    { from: 7, to: 7, insert: "    " },
    { from: 11, to: 12, insert: "" },
  ]);
  assert.deepEqual(edits("x = 'a'\n", 'x = "a"\n'), [{ from: 4, to: 7, insert: '"a"' }]);
  assert.deepEqual(edits("a", "a\n"), [{ from: 1, to: 1, insert: "\n" }]);
  assert.deepEqual(edits("same\n", "same\n"), []);
});

test("brackets that do not match are found with their line", () => {
  assert.deepEqual(mismatch("void f() {\n  g(;\n}\n"), { line: 3, reason: '"}" does not close the "(" of line 2' });
  assert.deepEqual(mismatch("int a;\n}\n"), { line: 2, reason: '"}" closes nothing' });
  assert.deepEqual(mismatch("void f() {\n\n"), { line: 1, reason: '"{" is not closed' });
  assert.deepEqual(mismatch('f("abc);\n'), { line: 1, reason: "the string does not end" });
  assert.deepEqual(mismatch("/* a\n b"), { line: 1, reason: "the comment does not end" });
  assert.deepEqual(mismatch("/* a\n\n */ }"), { line: 3, reason: '"}" closes nothing' });
});

test("brackets in comments, literals and branches are not counted", () => {
  for (const source of [
    "// (\\\n {\nint a; /* [ */",
    `char a = '(', b = '\\'', c = '"'; const char* d = "{\\"[";`,
    'const char* a = R"x(()")" )x";',
    "int a = 1'000'000, b = 0xff'ffu; char c = u8'(';",
    "#ifdef A\nvoid f(int a) {\n#elif B\nvoid f(char a) {\n#else\nvoid f() {\n#endif\n}\n",
    "#error Don't\n#define OPEN {\\\n }\nk<<<g, b>>>(a);",
  ]) {
    assert.equal(mismatch(source), null, source);
  }
});

test("long sources take linear time and memory", () => {
  assert.equal(mismatch("f('a', \"b\");\n".repeat(50_000)), null);
  assert.deepEqual(mismatch("(".repeat(200_000)), { line: 1, reason: '"(" is not closed' });
});
