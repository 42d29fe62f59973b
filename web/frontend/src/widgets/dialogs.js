// Dialogs of the workbench: a button with data-opens="ID" opens one, a click beside it or Escape closes it.

/** Let the buttons and dialogs inside `element` work. */
export function mountDialogs(element) {
  for (const button of element.querySelectorAll("[data-opens]")) {
    button.hidden = false;
    button.addEventListener("click", () => openDialog(button.dataset.opens));
  }
  for (const dialog of element.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      // The dialog itself is hit only where its content is not: at its backdrop.
      if (event.target === dialog) dialog.close();
    });
  }
}

/** Open the dialog of that id, unless one is open. */
export function openDialog(id) {
  const dialog = document.getElementById(id);
  if (document.querySelector("dialog[open]")) return;
  dialog.dispatchEvent(new CustomEvent("warpcourt:opening"));
  dialog.showModal();
}
