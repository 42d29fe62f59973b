/** This browser's storage, or null where it is switched off: naming it is already refused then. */
export function browserStorage() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
