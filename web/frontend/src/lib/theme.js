// The colour scheme: what the system says, unless the visitor chose. The choice is a cookie, so that
// the server's first byte already carries it.

export const SCHEMES = ["system", "light", "dark"];

/** The scheme that follows `scheme` when the button is pressed. */
export function next(scheme) {
  return SCHEMES[(SCHEMES.indexOf(scheme) + 1) % SCHEMES.length];
}

/** The cookie that remembers `scheme` for a year, or forgets it for "system". */
export function cookie(scheme, { secure }) {
  const age = scheme === "system" ? 0 : 365 * 24 * 3600;
  return `theme=${scheme}; path=/; max-age=${age}; samesite=lax${secure ? "; secure" : ""}`;
}
