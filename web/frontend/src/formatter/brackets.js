// Whether the brackets, strings and comments of a C++ source end, in time linear in its length.

const CLOSING = { "(": ")", "[": "]", "{": "}" };
const TOKEN = /\/\/(?:[^\n\\]|\\[^])*|\/\*|"|'|[()[\]{}]|\n/g;
const DIRECTIVE = /^[ \t]*#[ \t]*(if|elif|else|endif|error|warning|pragma)?/;

/** The first fault of `source` as {line, reason}, or null. Each branch of an #if begins with the brackets that were open before it. */
export function mismatch(source) {
  let open = [];
  const branches = []; // the brackets that were open before each #if around here
  let line = 1;
  let directive = directiveAt(source, 0);
  const token = new RegExp(TOKEN);
  for (let found; (found = token.exec(source)); ) {
    const [text] = found;
    if (text === "\n") {
      line += 1;
      if (directive && source[found.index - 1] === "\\") continue;
      open = branch(directive, open, branches);
      directive = directiveAt(source, token.lastIndex);
    } else if (CLOSING[text]) open.push({ text, line });
    else if (")]}".includes(text)) {
      const last = open.pop();
      if (!last) return { line, reason: `"${text}" closes nothing` };
      if (CLOSING[last.text] !== text) return { line, reason: `"${text}" does not close the "${last.text}" of line ${last.line}` };
    } else {
      const end = endOf(source, found.index, text, directive);
      if (end < 0) return { line, reason: text === "/*" ? "the comment does not end" : "the string does not end" };
      line += count(source, found.index, end);
      token.lastIndex = end;
    }
  }
  const last = branch(directive, open, branches).pop();
  return last ? { line: last.line, reason: `"${last.text}" is not closed` } : null;
}

function directiveAt(source, from) {
  const end = source.indexOf("\n", from);
  const found = DIRECTIVE.exec(source.slice(from, end < 0 ? source.length : end));
  return found ? (found[1] ?? "other") : null;
}

function branch(directive, open, branches) {
  if (directive === "if") branches.push([...open]);
  else if (directive === "endif") branches.pop();
  else if ((directive === "else" || directive === "elif") && branches.length) return [...branches.at(-1)];
  return open;
}

// Where the comment or literal that begins at `from` ends, or -1.
function endOf(source, from, text, directive) {
  if (text.startsWith("//")) return from + text.length;
  if (text === "/*") return after(source, "*/", from + 2);
  const before = source.slice(Math.max(0, from - 20), from);
  if (text === "'" && /\b[0-9][0-9a-fA-FxX.']*$/.test(before)) return from + 1; // between digits: 1'000
  if (text === '"' && /\b(?:u8|[uUL])?R$/.test(before)) {
    const label = /[^ ()\\\n]{0,16}\(/y;
    label.lastIndex = from + 1;
    const named = label.exec(source);
    return named ? after(source, `)${named[0].slice(0, -1)}"`, label.lastIndex) : -1;
  }
  const rest = text === '"' ? /(?:[^"\\\n]|\\[^])*"/y : /(?:[^'\\\n]|\\[^])*'/y;
  rest.lastIndex = from + 1;
  if (rest.test(source)) return rest.lastIndex;
  return directive ? from + 1 : -1; // prose, as in #error Don't
}

function after(source, text, from) {
  const at = source.indexOf(text, from);
  return at < 0 ? -1 : at + text.length;
}

function count(source, from, to) {
  let lines = 0;
  for (let at = source.indexOf("\n", from); at >= 0 && at < to; at = source.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
