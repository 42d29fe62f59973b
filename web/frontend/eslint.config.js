import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    rules: {
      "array-callback-return": "error",
      curly: ["error", "multi-line"],
      eqeqeq: "error",
      "no-implicit-coercion": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Build nodes, or let the server render and parse with DOMParser." },
        { property: "outerHTML", message: "Build nodes instead." },
      ],
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
  { files: ["build.mjs", "eslint.config.js", "tests/**"], languageOptions: { globals: globals.node } },
];
