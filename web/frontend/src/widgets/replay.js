// The replay of a case: loads it and plays it. Players of a page can go step by step together.

import { Player } from "../replay/player.js";
import { decode } from "../replay/format.js";

export async function mount(element) {
  const status = element.querySelector("[data-status]");
  const response = await fetch(element.dataset.source, { headers: { "X-Requested-With": "fetch" } }).catch(() => null);
  try {
    if (!response?.ok) throw new Error("The replay could not be loaded. Reload the page to try again.");
    const player = new Player(element, decode(await response.arrayBuffer()));
    element.dataset.ready = "";
    status.hidden = true;
    player.show();
  } catch (error) {
    status.textContent = error.message;
  }
}
