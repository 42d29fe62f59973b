// Sections with a data-tab become tabs. Without this they are sections one below the other.

import { towards } from "../lib/tabs.js";

const MEMORY = "console-tab"; // with data-tabs, of these tabs alone

export function mount(element) {
  const panels = [...element.querySelectorAll(":scope > [data-tab]")];
  if (panels.length < 2) return;
  const memory = element.dataset.tabs ? `${MEMORY}-${element.dataset.tabs}` : MEMORY;
  const tabs = panels.map((panel) => tabOf(panel));
  const list = document.createElement("div");
  list.className = "tabs";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", element.getAttribute("aria-label") ?? "Report");
  list.append(...tabs);
  panels[0].before(list);

  const choose = (at, { focus = false, user = true } = {}) => {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === at));
      tab.tabIndex = index === at ? 0 : -1;
      panels[index].hidden = index !== at;
    });
    if (focus) tabs[at].focus();
    if (user) panels[at].scrollIntoView({ block: "nearest" });
    panels[at].dispatchEvent(new CustomEvent("warpcourt:shown", { detail: { user } }));
  };
  tabs.forEach((tab, at) =>
    tab.addEventListener("click", () => {
      choose(at);
      remember(memory, tab.textContent);
    }),
  );
  list.addEventListener("keydown", (event) => {
    const at = towards(tabs.indexOf(document.activeElement), event.key, tabs.length);
    if (at === null) return;
    event.preventDefault();
    choose(at, { focus: true });
    remember(memory, tabs[at].textContent);
  });
  // What was looked at last stays in sight from report to report.
  const last = tabs.findIndex((tab) => tab.textContent === remembered(memory));
  choose(Math.max(0, last), { user: false });
}

function tabOf(panel) {
  const tab = document.createElement("button");
  tab.type = "button";
  tab.className = "tab";
  tab.id = `${panel.id}-tab`;
  tab.textContent = panel.dataset.tab;
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", panel.id);
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", tab.id);
  panel.tabIndex = 0;
  // The tab says it to those who see. Without the heading, the order of headings would skip a level.
  panel.querySelector(":scope > :is(h2, h4)")?.classList.add("visually-hidden");
  return tab;
}

function remembered(memory) {
  try {
    return sessionStorage.getItem(memory);
  } catch {
    return null;
  }
}

function remember(memory, name) {
  try {
    sessionStorage.setItem(memory, name);
  } catch {
    // Without storage the first tab is shown each time.
  }
}
