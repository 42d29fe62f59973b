// A button that copies the text of the element named by data-copy (an id), or of data-text.

const SHOWN_MS = 1600;

export function mount(element) {
  const label = element.querySelector("[data-label]") ?? element;
  const idle = label.textContent;
  let timer;
  element.hidden = false;
  element.addEventListener("click", async () => {
    const text = element.dataset.text ?? document.getElementById(element.dataset.copy).textContent;
    const copied = await navigator.clipboard.writeText(text).then(() => true, () => false);
    label.textContent = copied ? "Copied" : "Press Ctrl+C";
    if (!copied) getSelection().selectAllChildren(document.getElementById(element.dataset.copy));
    clearTimeout(timer);
    timer = setTimeout(() => (label.textContent = idle), SHOWN_MS);
  });
}
