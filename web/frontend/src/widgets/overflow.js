// Text with formulas, code and tables, some of which may be wider than the page.

/** Let the keyboard reach what scrolls sideways inside `element`. */
export function mount(element) {
  for (const node of element.querySelectorAll("div.math, .formula, pre, table")) {
    if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
  }
}
