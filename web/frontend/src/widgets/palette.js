// A dialog that leads to any problem or page, and has the commands of the page: type a few letters, choose with the arrow keys.
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
  let entries = [];
  let options = [];
  let at = 0;
  let timer = null;
  let asked = 0;
  let answered = null; // the words to which the options belong

  const choose = (next) => {
    at = options.length ? (next + options.length) % options.length : 0;
    options.forEach(({ node }, index) => node.setAttribute("aria-selected", String(index === at)));
    const chosen = options[at]?.node;
    if (chosen) view.field.setAttribute("aria-activedescendant", chosen.id);
    else view.field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  };
  const show = (problems, lessons = []) => {
    const words = view.field.value;
    const found = entries.filter(({ title }) => matches(title, words));
    options = [...problems, ...found, ...lessons].map((entry, index) => ({ ...entry, node: optionOf(entry, index) }));
    view.list.replaceChildren(...options.map(({ node }) => node));
    view.empty.hidden = options.length > 0;
    choose(0);
  };
  const ask = async () => {
    clearTimeout(timer);
    const mine = (asked += 1);
    const words = view.field.value;
    const response = await fetch(`${address}?q=${encodeURIComponent(words)}`).catch(() => null);
    const told = response?.ok ? await response.json().catch(() => null) : null;
    if (mine !== asked) return;
    answered = words;
    const problems = (told?.problems ?? []).map(({ title, url, difficulty, state }) => ({ title, url, detail: [difficulty, state].filter(Boolean).join(", ") }));
    const lessons = (told?.lessons ?? []).map(({ title, url, kind }) => ({ title, url, detail: kind }));
    show(problems, lessons);
    if (view.field.value) announce(options.length === 1 ? "1 result" : `${options.length} results`);
  };
  const leave = () => {
    const chosen = options[at];
    if (chosen?.button) {
      view.dialog.close();
      chosen.button.click();
    } else if (chosen) location.assign(chosen.url);
  };
  // Enter may come before the answer to what was typed.
  const enter = async () => {
    if (at === 0 && answered !== view.field.value) await ask();
    leave();
  };

  view.field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MS);
  });
  view.field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose(at + step);
    else if (event.key === "Enter" && !event.isComposing) enter();
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
      answered = null;
      entries = [...commandsHere(), ...pagesHere()];
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
  Object.assign(field, { type: "text", className: "input", placeholder: "Problem, page, concept or finding", autocomplete: "off", spellcheck: false, maxLength: 80 });
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

/** What the buttons of this page do, each by its name. */
function commandsHere() {
  return [...document.querySelectorAll("[data-does]:not([hidden])")].map((button) => ({ title: button.getAttribute("aria-label"), button, detail: "command" }));
}
