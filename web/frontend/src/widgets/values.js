// Custom values of a run: fills in the sample's, and keeps the sizes that their number determines in step.

import { announce } from "../lib/announce.js";
import { countValues } from "../lib/values.js";

export function mountValues(element, form) {
  const panel = element.querySelector("[data-own-values]");
  if (!panel) return;
  const fields = [...panel.querySelectorAll("textarea")];
  const sizeOf = (name) => form.elements[`size_${name}`];
  const follow = (field) => {
    const size = field.dataset.size && sizeOf(field.dataset.size);
    const count = countValues(field.value);
    if (size && count) size.value = String(count);
  };
  for (const field of fields) field.addEventListener("input", () => follow(field));
  panel.querySelector("[data-own-tools]").hidden = false;
  panel.querySelector("[data-clear]").addEventListener("click", () => {
    for (const field of fields) field.value = "";
    announce("Values cleared");
  });
  panel.querySelector("[data-fill]")?.addEventListener("click", () => {
    const [values, sizes] = [read("sample-values"), read("sample-sizes")];
    for (const [name, size] of Object.entries(sizes)) sizeOf(name).value = String(size);
    for (const field of fields) field.value = values[field.name.slice("values_".length)] ?? "";
    announce("The sample's values are filled in");
  });
}

function read(id) {
  return JSON.parse(document.getElementById(id).textContent);
}
