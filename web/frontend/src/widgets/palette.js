// A dialog that leads to any problem or page: type a few letters, choose with the arrow keys.
//
// It is a combobox with a list, as the ARIA pattern has it: the focus stays in the field.

import { announce } from "../lib/announce.js";
import { matches } from "../lib/matching.js";

const PAUSE_MS = 120;
const PAGES = ".nav a, .masthead .menu-list a, .pane-statement .pane-bar a, .colophon a";
let dialog = null;

/** Open the palette, which asks `address` for problems. */
export function open(address) {
  if (document.querySelector("dialog[open]")) return;
  dialog ??= create(address);
  dialog.open();
}

function create(address) {
  const view = build();
  const pages = pagesHere();
  let options = [];
  let at = 0;
  let timer = null;
  let asked = 0;

  const choose = (next) => {
    at = options.length ? (next + options.length) % options.length : 0;
    options.forEach(({ node }, index) => node.setAttribute("aria-selected", String(index === at)));
    const chosen = options[at]?.node;
    if (chosen) view.field.setAttribute("aria-activedescendant", chosen.id);
    else view.field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  };
  const show = (problems) => {
    const words = view.field.value;
    const found = pages.filter(({ title }) => matches(title, words));
    options = [...problems, ...found].map((entry, index) => ({ ...entry, node: optionOf(entry, index) }));
    view.list.replaceChildren(...options.map(({ node }) => node));
    view.empty.hidden = options.length > 0;
    choose(0);
  };
  const ask = async () => {
    const mine = (asked += 1);
    const response = await fetch(`${address}?q=${encodeURIComponent(view.field.value)}`).catch(() => null);
    const told = response?.ok ? await response.json().catch(() => null) : null;
    if (mine !== asked) return;
    show((told?.problems ?? []).map(({ title, url, difficulty, state }) => ({ title, url, detail: [difficulty, state].filter(Boolean).join(", ") })));
    if (view.field.value) announce(options.length === 1 ? "1 result" : `${options.length} results`);
  };
  const leave = () => {
    const chosen = options[at];
    if (chosen) location.assign(chosen.url);
  };

  view.field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MS);
  });
  view.field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose(at + step);
    else if (event.key === "Enter" && !event.isComposing) leave();
    else return;
    event.preventDefault();
  });
  view.list.addEventListener("click", (event) => {
    const node = event.target.closest("[role=option]");
    if (!node) return;
    choose(options.findIndex((option) => option.node === node));
    leave();
  });
  view.dialog.addEventListener("click", (event) => {
    if (event.target === view.dialog) view.dialog.close();
  });
  return {
    open() {
      view.field.value = "";
      view.dialog.showModal();
      show([]);
      ask();
    },
  };
}

function build() {
  const element = document.createElement("dialog");
  element.className = "dialog palette";
  element.setAttribute("aria-label", "Go to a problem or page");
  const field = document.createElement("input");
  Object.assign(field, { type: "text", className: "input", placeholder: "Problem or page", autocomplete: "off", spellcheck: false, maxLength: 80 });
  for (const [name, value] of Object.entries({ role: "combobox", "aria-label": "Problem or page", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list" })) field.setAttribute(name, value);
  const list = document.createElement("ul");
  Object.assign(list, { id: "palette-list", className: "palette-list" });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Results");
  const empty = Object.assign(document.createElement("p"), { className: "hint", textContent: "Nothing matches.", hidden: true });
  element.append(field, list, empty);
  document.body.append(element);
  return { dialog: element, field, list, empty };
}

function optionOf({ title, detail }, index) {
  const node = document.createElement("li");
  node.id = `palette-${index}`;
  node.setAttribute("role", "option");
  const name = Object.assign(document.createElement("span"), { textContent: title });
  const note = Object.assign(document.createElement("span"), { className: "hint", textContent: detail });
  node.append(name, note);
  return node;
}

/** The pages that this page links to in its bars and menus, each once. */
function pagesHere() {
  const found = new Map();
  for (const link of document.querySelectorAll(PAGES)) {
    if (!link.hidden && !found.has(link.href)) found.set(link.href, { title: link.textContent.trim(), url: link.href, detail: "page" });
  }
  return [...found.values()];
}
