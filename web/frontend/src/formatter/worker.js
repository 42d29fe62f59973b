// The formatter, as a worker: pages forbid WebAssembly, and the response with this script allows it here.

import { mismatch } from "./brackets.js";

/** Each takes a source and returns it formatted, or throws {line, reason} if the source does not parse. */
const FORMATTERS = {
  cuda: async () => {
    const { format } = await import("./cuda.js");
    return (source) => {
      const found = mismatch(source); // clang-format formats also what no compiler would take
      if (found) throw found;
      return format(source);
    };
  },
  triton: async () => (await import("./python.js")).format,
  python: async () => (await import("./python.js")).format,
};

/** Asked {id, language, source}, answer {id, kind: "formatted", text}, {id, kind: "broken", line, reason} or {id, kind: "failed"}. */
addEventListener("message", async ({ data: { id, language, source } }) => {
  try {
    const format = await FORMATTERS[language]();
    postMessage({ id, kind: "formatted", text: format(source) });
  } catch (error) {
    if (typeof error.line === "number") postMessage({ id, kind: "broken", line: error.line, reason: error.reason });
    else postMessage({ id, kind: "failed" });
  }
});
