// Moving among tabs by keys, as the ARIA pattern has it.

/** The tab after `key` at tab `at` of `count`; null for keys that do not move. */
export function towards(at, key, count) {
  switch (key) {
    case "ArrowRight":
      return (at + 1) % count;
    case "ArrowLeft":
      return (at + count - 1) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
