// The server's side of a draft, over HTTP.

const SMALL_ENOUGH_TO_OUTLIVE_THE_PAGE = 60_000; // browsers let 64 KiB be under way when a page is left

/** Loads and saves the draft at `url`. `token()` is the form's CSRF token. */
export function remoteAt(url, token, send = fetch) {
  const call = async (options) => {
    try {
      const response = await send(url, { credentials: "same-origin", ...options });
      const json = (response.headers.get("content-type") ?? "").startsWith("application/json");
      return { status: response.status, told: json ? await response.json() : {} };
    } catch {
      return { status: 0, told: {} };
    }
  };
  return {
    async load() {
      const { status, told } = await call({});
      return status === 200 ? { kind: "draft", ...told } : { kind: kindOf(status) };
    },
    async save(body, { last = false } = {}) {
      const text = JSON.stringify(body);
      const { status, told } = await call({
        method: "PUT",
        headers: { "Content-Type": "application/json", "X-CSRFToken": token() },
        body: text,
        keepalive: last && text.length < SMALL_ENOUGH_TO_OUTLIVE_THE_PAGE,
      });
      if (status === 200) return { kind: "saved", ...told };
      if (status === 409) return { kind: "conflict", ...told };
      return { kind: kindOf(status), reason: told.error ?? "" };
    },
  };
}

function kindOf(status) {
  if (status === 401 || status === 403) return "signed-out";
  return [400, 404, 413, 422].includes(status) ? "refused" : "unreachable";
}
