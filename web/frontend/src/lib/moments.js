// Times of the server as local ones. The server writes UTC, and says so in the text and in the title.

const FORM = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** `iso` in the form of the site, `23 Nov 2026, 01:25`, in the time zone of the browser or in `timeZone`. */
export function localTime(iso, timeZone) {
  return new Intl.DateTimeFormat("en-GB", { ...FORM, timeZone }).format(new Date(iso));
}

/** `milliseconds` until a deadline in words: whole minutes, in the last minute seconds. */
export function remaining(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds <= 0) return "the time is over";
  const [count, unit] = seconds > 60 ? [Math.ceil(seconds / 60), "minute"] : [seconds, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"} left`;
}

/** Show each marked time inside `root` as a local one, once. */
export function localise(root) {
  for (const time of root.querySelectorAll("time[data-local]")) {
    time.textContent = localTime(time.dateTime);
    time.removeAttribute("data-local");
  }
}
