// The way out by keyboard. Tab indents; after Escape it moves on, however long one waits.

import { EditorView, keymap } from "@codemirror/view";

/** `resting(view)`: whether Escape has nothing else to do. `onReady` hears when Tab will leave. */
export function leaving({ resting, onReady }) {
  const free = (view, ready) => {
    view.setTabFocusMode(ready);
    onReady(ready);
  };
  return [
    keymap.of([{ key: "Mod-m", run: (view) => { free(view, true); return true; } }]),
    EditorView.domEventObservers({
      keydown(event, view) {
        if (event.key === "Escape") {
          // What Escape closes is still open here, and closed a moment later.
          if (resting(view)) setTimeout(() => free(view, true));
        } else if (!["Tab", "Shift"].includes(event.key)) free(view, false);
      },
      blur: (_event, view) => free(view, false),
    }),
  ];
}
