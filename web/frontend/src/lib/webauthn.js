// What the server and the browser say to each other about keys. The server speaks JSON with base64url,
// the browser wants buffers.

/** The bytes of a base64url text. */
export function toBytes(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.codePointAt(0));
}

/** The base64url text of some bytes, without padding. */
export function toText(buffer) {
  const binary = String.fromCodePoint(...new Uint8Array(buffer));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function descriptors(list) {
  return (list ?? []).map((entry) => ({ ...entry, id: toBytes(entry.id) }));
}

/** Options for `navigator.credentials.create`. A passkey is kept by its device and asks who is there. */
export function creation({ publicKey }, { passkey }) {
  const selection = { ...publicKey.authenticatorSelection };
  selection.residentKey = passkey ? "required" : "discouraged";
  selection.requireResidentKey = passkey;
  if (passkey) selection.userVerification = "required";
  return {
    publicKey: {
      ...publicKey,
      authenticatorSelection: selection,
      challenge: toBytes(publicKey.challenge),
      user: { ...publicKey.user, id: toBytes(publicKey.user.id) },
      excludeCredentials: descriptors(publicKey.excludeCredentials),
    },
  };
}

/** Options for `navigator.credentials.get`. */
export function request({ publicKey }) {
  return {
    publicKey: {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      allowCredentials: descriptors(publicKey.allowCredentials),
    },
  };
}

const BUFFERS = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];

/** What the browser answered, as the server reads it. */
export function answer(credential) {
  const present = BUFFERS.filter((name) => credential.response[name]);
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: Object.fromEntries(present.map((name) => [name, toText(credential.response[name])])),
  };
}

const REFUSALS = {
  InvalidStateError: "You have already added this key.",
  NotAllowedError: "The request was cancelled or timed out, or you have no key for this site.",
  SecurityError: "Security keys need HTTPS at the site's own hostname, or localhost.",
};

/** What to tell a person about a failure. */
export function refusal(error) {
  return REFUSALS[error.name] ?? "The key could not be used. Reload the page and try again.";
}
