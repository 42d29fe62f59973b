// Formats CUDA C++ with clang-format.

import init, { format as clangFormat } from "@wasm-fmt/clang-format/web";
import binary from "@wasm-fmt/clang-format/wasm";

// The style of the shipped starters. Only white space changes: includes keep their order, comments and strings their lines.
const STYLE = {
  BasedOnStyle: "Google",
  IndentWidth: 4,
  AccessModifierOffset: -2,
  ColumnLimit: 100,
  DerivePointerAlignment: false,
  PointerAlignment: "Left",
  SortIncludes: "Never",
  SortUsingDeclarations: "Never",
  FixNamespaceComments: false,
  BreakStringLiterals: false,
  ReflowComments: "Never",
};

await init(new URL(binary, import.meta.url));

/** Return `source` formatted. */
export function format(source) {
  return clangFormat(source, "program.cu", JSON.stringify(STYLE));
}
