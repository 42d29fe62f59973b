// PTX and SASS beside the source, loaded when they are looked at. Lines of both lead to each other.

import { announce } from "../lib/announce.js";
import { index, step } from "../lib/mapping.js";

export function mount(element) {
  const place = element.querySelector("[data-listing]");
  const links = [...element.querySelectorAll("[data-beside]")];
  const show = async (link) => {
    for (const other of links) {
      if (other === link) other.setAttribute("aria-current", "true");
      else other.removeAttribute("aria-current");
    }
    place.textContent = `Loading the ${link.textContent}…`;
    place.replaceChildren(await load(link));
    const view = place.querySelector("[data-assembly]");
    if (view) mountView(view);
  };
  element.addEventListener("click", (event) => {
    const link = event.target.closest("[data-beside]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(link);
  });
  // Each widget of a page is mounted by itself, so the panel may be in sight already.
  const begin = async (event) => {
    if (element.hidden || place.childNodes.length) return;
    await show(links[0]);
    if (event?.detail.user) element.scrollIntoView({ block: "nearest" });
  };
  element.addEventListener("warpcourt:shown", begin);
  if (element.getAttribute("role") === "tabpanel") begin();
}

async function load(link) {
  const response = await fetch(link.dataset.beside, { headers: { "X-Requested-With": "fetch" } }).catch(() => null);
  const view = response?.ok ? new DOMParser().parseFromString(await response.text(), "text/html").body.firstElementChild : null;
  if (view) return view;
  const note = document.createElement("p");
  note.className = "notice tone-bad";
  note.textContent = `The ${link.textContent} could not be loaded. Select it again to retry.`;
  return note;
}

function mountView(view) {
  const sides = [...view.querySelectorAll("[data-side]")].map(side);
  const choose = (line, chosen) => {
    for (const { rows, lines, list } of sides) {
      for (const row of list.querySelectorAll('[aria-selected="true"]')) row.setAttribute("aria-selected", "false");
      const found = lines.get(line) ?? [];
      for (const at of found) rows[at].setAttribute("aria-selected", "true");
      if (list !== chosen && found.length) into(list, rows[found[0]]);
    }
    const listing = sides.find(({ list }) => list.dataset.side === "listing");
    const count = listing.lines.get(line)?.length ?? 0;
    announce(`Source line ${line}: ${count} ${count === 1 ? "instruction" : "instructions"}.`);
  };
  for (const { list, rows } of sides) {
    let at = 0;
    const move = (next) => {
      rows[at].classList.remove("active");
      at = next;
      rows[at].classList.add("active");
      list.setAttribute("aria-activedescendant", rows[at].id);
      into(list, rows[at]);
    };
    const take = () => {
      const line = Number(rows[at].dataset.from ?? 0);
      if (line) choose(line, list);
      else announce("No instructions map to this line.");
    };
    list.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row || String(getSelection())) return;
      move(rows.indexOf(row));
      take();
    });
    list.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        take();
        return;
      }
      const page = Math.max(1, Math.floor(list.clientHeight / rows[0].offsetHeight) - 1);
      const next = step(at, event.key, { count: rows.length, page });
      if (next === null) return;
      event.preventDefault();
      move(next);
    });
  }
}

function side(list) {
  const rows = [...list.querySelectorAll(".row")];
  return { list, rows, lines: index(rows.map((row) => Number(row.dataset.from ?? 0))) };
}

// Scrolls the list alone, never the page around it.
function into(list, row) {
  const top = row.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (top < 0 || top > list.clientHeight - row.offsetHeight) list.scrollTop += top - list.clientHeight / 3;
}
