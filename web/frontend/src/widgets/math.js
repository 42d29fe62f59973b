// Formulas come as MathML. TeX that the server does not know is left to KaTeX, which is loaded only then.

/** Render every `.math` inside `element`, and let the keyboard reach what is too wide for the page. */
export async function mount(element) {
  const formulas = element.querySelectorAll(".math");
  if (formulas.length) await render(element, formulas);
  for (const node of element.querySelectorAll("div.math, .formula, pre, table")) {
    if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
  }
}

// <div> is display style, <span> inline. TeX that KaTeX does not know stays readable.
async function render(element, formulas) {
  const [{ default: katex }] = await Promise.all([import("katex"), loadStyles(element.dataset.katexStyles)]);
  for (const formula of formulas) {
    katex.render(formula.textContent, formula, {
      displayMode: formula.tagName === "DIV",
      throwOnError: false,
      trust: false,
      maxExpand: 200,
      maxSize: 40,
    });
  }
}

function loadStyles(href) {
  return new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: resolve, onerror: resolve });
    document.head.append(link);
  });
}
