// Brings up to date what a page says of its workspace, once a form of it is saved: revision, faults, what is derived.

import { latest } from "./latest.js";

const MARK = "data-follows";

/** Take each marked part of `page` that says something else into `here`. The part that has the focus stays. */
export function adoptParts(here, page) {
  for (const part of here.querySelectorAll(`[${MARK}]`)) {
    const other = page.getElementById(part.id);
    if (!other || said(other) === said(part) || part.contains(here.activeElement)) continue;
    part.replaceChildren(...other.childNodes);
    part.dispatchEvent(new CustomEvent("warpcourt:inserted", { bubbles: true }));
  }
}

/** Ask for this page again, and take its marked parts. */
export const refresh = latest(
  async () => {
    if (!document.querySelector(`[${MARK}]`)) return null;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    return answer.ok && !answer.redirected ? answer.text() : null;
  },
  // The page is the server's own; one that is parsed runs no script.
  (html) => adoptParts(document, new DOMParser().parseFromString(html, "text/html")),
);

// Words and links: widgets change the markup of what they are mounted on.
function said(part) {
  const links = [...part.querySelectorAll("[href]")].map((link) => link.getAttribute("href"));
  return [part.textContent, ...links].join(" ");
}
