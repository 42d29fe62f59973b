// How a visitor likes the editor: kept in this browser, and never trusted to be well-formed.

const KEY = "warpcourt:editor";

export const SIZES_PX = [11, 12, 13, 14, 15, 16, 18, 20, 24];
export const TAB_WIDTHS = [2, 4, 8];
export const USUAL = { size: 13, tab: 4, vim: false, wrap: false };

/** The preferences of `storage`; the usual ones for what it does not say. */
export function load(storage) {
  try {
    return sane(JSON.parse(storage.getItem(KEY)));
  } catch {
    return { ...USUAL };
  }
}

/** Keep `preferences`. */
export function save(storage, preferences) {
  try {
    storage.setItem(KEY, JSON.stringify(sane(preferences)));
  } catch {
    // Switched off: they last as long as the page.
  }
}

/** `told` with everything that makes no sense replaced by what is usual. */
export function sane(told) {
  return {
    size: SIZES_PX.includes(told?.size) ? told.size : USUAL.size,
    tab: TAB_WIDTHS.includes(told?.tab) ? told.tab : USUAL.tab,
    vim: told?.vim === true,
    wrap: told?.wrap === true,
  };
}
