// Formats Python with Ruff.

import init, { format as ruffFormat } from "@wasm-fmt/ruff_fmt/web";
import binary from "@wasm-fmt/ruff_fmt/wasm";

const STYLE = { indent_style: "space", indent_width: 4, line_width: 100, line_ending: "lf" };

await init(new URL(binary, import.meta.url));

/** Return `source` formatted. Throws {line, reason} if it does not parse. */
export function format(source) {
  try {
    return ruffFormat(source, "program.py", STYLE);
  } catch (error) {
    const [, reason, at] = /^(.*) at byte range (\d+)\.\.\d+$/s.exec(String(error)) ?? [];
    if (!reason) throw error;
    const before = new TextDecoder().decode(new TextEncoder().encode(source).subarray(0, Number(at)));
    throw { line: before.split("\n").length, reason };
  }
}
