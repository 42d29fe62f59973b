// The draft behind the editor: kept here and on the server, with its dialogs for conflict, history and reset.

import { announce } from "../lib/announce.js";
import { changedLines } from "../lib/changes.js";
import * as drafts from "../lib/drafts.js";
import { localise, localTime } from "../lib/moments.js";
import { remoteAt } from "../lib/remote.js";
import { browserStorage } from "../lib/storage.js";
import { Sync } from "../lib/sync.js";
import { openDialog } from "./dialogs.js";

const STATUS = {
  starter: "",
  local: "Saved in this browser",
  nowhere: "This browser can't save drafts",
  saved: "Saved",
  unreachable: "Offline; saved in this browser",
  "signed-out": "Signed out; saved in this browser. Reload to sign in",
  refused: "Not saved on the server",
  conflict: "Changed elsewhere",
};
const TROUBLE = new Set(["nowhere", "unreachable", "signed-out", "refused", "conflict"]);
const LOOK_AGAIN_MS = 20_000;

/**
 * Drafts of the problem of `element`. `show(text)` puts a text into the editor.
 *
 * Returns {begin(language, server), edit(source), save()}; `begin` resolves to the text to begin with. `save`
 * saves at once and says how that went.
 */
export function mountDrafting(element, { starters, token, show }) {
  const { owner, problem, drafts: address } = element.dataset;
  const view = { element, status: element.querySelector("[data-draft-status]"), compare: element.querySelector("[data-compare]") };
  let sync = null;
  let language = null;
  let looked = Date.now();

  const store = (whose) => drafts.open(browserStorage(), drafts.keyOf({ owner: whose, problem, language }));
  const url = () => address.replace("LANGUAGE", language);

  async function begin(next, server = null) {
    await sync?.flush();
    sync?.end();
    language = next;
    const remote = owner ? remoteAt(url(), token) : null;
    const nobodys = owner ? store("").read() : null;
    sync = new Sync({
      store: store(owner),
      remote,
      starter: starters[language],
      show,
      tell: (status) => tell(view, status),
      ask: (texts) => ask(view, texts),
    });
    const { text, taken } = sync.begin(server ?? (await current(remote)), nobodys);
    if (taken) store("").clear();
    return text;
  }

  addEventListener("storage", (event) => {
    const ours = event.key === drafts.keyOf({ owner, problem, language });
    // A tab in which its author types is ahead of the other tab. An untouched one follows.
    if (ours && sync && (!document.hasFocus() || !sync.typing)) sync.adopt(drafts.parse(event.newValue) ?? { source: starters[language], base: 0, dirty: false, sent: null });
  });
  addEventListener("online", () => sync?.flush());
  addEventListener("pagehide", () => sync?.flush({ last: true }));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") sync?.flush({ last: true });
    else if (Date.now() - looked > LOOK_AGAIN_MS) {
      looked = Date.now();
      sync?.refresh();
    }
  });
  mountConflict(view, (choice) => sync.decide(choice));
  mountHistory(element, { url, restore: (source) => replace(source) });
  mountReset(element, () => replace(starters[language]));

  function replace(source) {
    sync.edit(source, { keep: true });
    show(source);
    sync.flush();
  }

  async function save() {
    await sync?.flush();
    const said = view.status.textContent || "Nothing to save: this is the starter code";
    view.status.textContent = said;
    view.status.classList.remove("told");
    requestAnimationFrame(() => view.status.classList.add("told"));
    announce(said);
  }

  return { begin, edit: (source) => sync.edit(source), save };
}

// What the server has, or null while it cannot be asked. For those who are not signed in it has nothing.
async function current(remote) {
  const answer = remote ? await remote.load() : { kind: "draft", revision: 0, source: null };
  return answer.kind === "draft" ? answer : null;
}

function tell({ status, compare }, { kind, reason }) {
  const text = kind === "refused" && reason ? `${STATUS.refused}: ${reason}` : STATUS[kind];
  if (TROUBLE.has(kind) && status.textContent !== text) announce(text);
  status.textContent = text;
  status.dataset.kind = kind;
  compare.hidden = kind !== "conflict";
}

function ask({ element }, { mine, theirs }) {
  const changes = changedLines(mine, theirs.source);
  fill(element.querySelector("[data-mine]"), mine, changes.before);
  fill(element.querySelector("[data-theirs]"), theirs.source, changes.after);
  const when = theirs.saved ? localTime(theirs.saved) : "";
  element.querySelector("[data-theirs-when]").textContent = when && `saved ${when}`;
  openDialog("conflict");
}

function fill(pre, text, changed) {
  pre.replaceChildren(
    ...text.split("\n").map((line, index) => {
      const node = document.createElement(changed.has(index) ? "mark" : "span");
      node.textContent = `${line}\n`;
      return node;
    }),
  );
}

function mountConflict({ compare }, decide) {
  const dialog = document.getElementById("conflict");
  compare.addEventListener("click", () => openDialog("conflict"));
  dialog.addEventListener("close", () => {
    const choice = dialog.returnValue;
    dialog.returnValue = "";
    if (choice) decide(choice);
  });
}

function mountReset(element, reset) {
  const dialog = document.getElementById("reset");
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "reset") reset();
    dialog.returnValue = "";
  });
}

function mountHistory(element, { url, restore }) {
  const dialog = document.getElementById("history");
  const [list, preview] = [dialog.querySelector("[data-history-list]"), dialog.querySelector("[data-history-text]")];
  const button = dialog.querySelector("[data-restore]");
  let chosen = null;
  const part = async (address) => {
    const response = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
    return response?.ok ? response : null;
  };
  const parse = (html) => new DOMParser().parseFromString(html, "text/html").body;

  dialog.addEventListener("warpcourt:opening", async () => {
    preview.replaceChildren();
    button.disabled = true;
    list.textContent = "Loading…";
    const response = await part(`${url()}/history`);
    if (!response) list.textContent = "The history could not be loaded. Close this and try again.";
    else list.replaceChildren(...parse(await response.text()).childNodes);
    localise(list);
    list.querySelector("button")?.click();
  });
  list.addEventListener("click", async (event) => {
    const row = event.target.closest("[data-version]");
    if (!row) return;
    const response = await part(`${url()}/history/${row.dataset.version}`);
    if (!response) return;
    const { source, html } = await response.json();
    for (const other of list.querySelectorAll("[data-version]")) other.setAttribute("aria-pressed", String(other === row));
    preview.replaceChildren(...parse(`<pre>${html}</pre>`).firstElementChild.childNodes);
    preview.scrollTop = 0;
    chosen = source;
    button.disabled = false;
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "restore" && chosen !== null) restore(chosen);
    dialog.returnValue = "";
  });
}
