// The filters of the problem list: "/" goes to the search, and Escape back out of it.

import { isTyping } from "../lib/typing.js";

export function mount(form) {
  const search = form.querySelector("input[type=search]");
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || isTyping(event)) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !search.value) search.blur();
  });
}
