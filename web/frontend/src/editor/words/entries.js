// Makers of completions: {label, type, detail, info} as CodeMirror takes them.

export const device = (label, info) => ({ label, type: "keyword", info });
export const variable = (label, info) => ({ label, type: "variable", info });
export const type = (label, info) => ({ label, type: "class", info });
export const constant = (label, info) => ({ label, type: "constant", info });
export const call = (label, detail, info) => ({ label, type: "function", detail, info });
