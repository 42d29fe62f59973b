// The rows of a table in a form: one more, up, down, away. Without this there is one empty row for another.

import { announce } from "../lib/announce.js";

export function mount(element) {
  const { prefix } = element.dataset;
  const template = element.parentElement.querySelector(`template[data-rows-template="${prefix}"]`);
  const body = element.tagName === "TABLE" ? element.tBodies[0] : element;
  const { form } = element.closest("fieldset");
  const total = form.elements.namedItem(`${prefix}-TOTAL_FORMS`);
  if (!template || !total || element.closest("fieldset[disabled]")) return;

  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = "Add row";
  button.addEventListener("click", () => {
    const index = Number(total.value);
    const row = numbered(template.content.cloneNode(true).firstElementChild, index);
    body.append(row);
    total.value = String(index + 1);
    // Its place is the last, unless somebody says so.
    row.querySelector("input:not([type=hidden], .input-order), select, textarea")?.focus();
    row.dispatchEvent(new CustomEvent("warpcourt:inserted", { bubbles: true }));
    announce("Row added.");
  });
  (element.closest(".table-wrap") ?? element).after(button);

  // A row that goes looks like it before it is saved, and may still stay.
  element.addEventListener("change", (event) => {
    if (!event.target.name?.endsWith("-DELETE")) return;
    event.target.closest("tr, [data-row]").classList.toggle("row-goes", event.target.checked);
  });
}

// The template's fields are of the form number __prefix__.
function numbered(row, index) {
  for (const node of [row, ...row.querySelectorAll("*")]) {
    for (const { name, value } of [...node.attributes]) {
      if (value.includes("__prefix__")) node.setAttribute(name, value.replaceAll("__prefix__", String(index)));
    }
  }
  return row;
}
