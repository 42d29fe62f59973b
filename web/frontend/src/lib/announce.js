// Speaks to screen readers through the page's live region.

export function announce(text) {
  const region = document.getElementById("announcer");
  region.textContent = "";
  // A change is spoken only when it happens after the region was emptied.
  requestAnimationFrame(() => (region.textContent = text.replace(/\s+/g, " ").trim()));
}
