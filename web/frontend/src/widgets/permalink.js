// The page of a submission: ranges of lines in the address, and what follows from the verdict once it is in.

import * as lines from "../lib/lines.js";

export function mount(element) {
  const source = element.querySelector("[data-lines]");
  const line = (number) => source.querySelector(`#L${number}`);
  let range = null;

  const show = ({ scroll }) => {
    for (const marked of source.querySelectorAll(".within")) marked.classList.remove("within");
    range = lines.parse(location.hash);
    if (!range) return;
    for (let number = range.first; number <= range.last && line(number); number += 1) line(number).classList.add("within");
    if (scroll && range.first !== range.last) line(range.first)?.scrollIntoView({ block: "center" });
  };

  source.addEventListener("click", (event) => {
    const link = event.target.closest(".line-number");
    if (!link?.hash || !event.shiftKey) return;
    event.preventDefault();
    const wanted = lines.extend(range, lines.parse(link.hash).first);
    history.replaceState(null, "", lines.format(wanted));
    show({ scroll: false });
  });
  addEventListener("hashchange", () => show({ scroll: true }));
  show({ scroll: true });

  element.addEventListener("warpcourt:judged", () => refresh(element));
}

/** Take over the parts of the page that depend on the verdict. */
async function refresh(element) {
  const response = await fetch(location.pathname, { headers: { "X-Requested-With": "fetch" } }).catch(() => null);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  document.title = page.title;
  for (const part of element.querySelectorAll("[data-judged]")) {
    const fresh = page.querySelector(`[data-judged="${part.dataset.judged}"]`);
    if (fresh) part.replaceChildren(...fresh.childNodes);
  }
}
