import assert from "node:assert/strict";
import test from "node:test";

import { answer, creation, refusal, request, toBytes, toText } from "../src/lib/webauthn.js";

const OPTIONS = {
  publicKey: {
    challenge: "-_8",
    user: { id: "MQ", name: "reader" },
    authenticatorSelection: { userVerification: "preferred" },
    excludeCredentials: [{ id: "AQI", type: "public-key" }],
  },
};

test("bytes survive the way through base64url", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (const length of [0, 1, 2, 3, 255, 256]) {
    assert.deepEqual(toBytes(toText(bytes.slice(0, length))), bytes.slice(0, length));
  }
  assert.deepEqual([...toBytes("-_8")], [251, 255]);
  assert.equal(toText(Uint8Array.of(251, 255).buffer), "-_8");
});

test("a passkey is kept by its device and asks who is there; a key is not", () => {
  const passkey = creation(OPTIONS, { passkey: true }).publicKey;
  assert.deepEqual([...passkey.challenge], [251, 255]);
  assert.deepEqual([...passkey.user.id], [49]);
  assert.deepEqual([...passkey.excludeCredentials[0].id], [1, 2]);
  assert.deepEqual(passkey.authenticatorSelection, {
    residentKey: "required",
    requireResidentKey: true,
    userVerification: "required",
  });
  const key = creation(OPTIONS, { passkey: false }).publicKey.authenticatorSelection;
  assert.deepEqual(key, { residentKey: "discouraged", requireResidentKey: false, userVerification: "preferred" });
  assert.equal(OPTIONS.publicKey.challenge, "-_8", "the options themselves are left alone");
});

test("a request without a list takes any key", () => {
  assert.deepEqual(request({ publicKey: { challenge: "AQ" } }).publicKey.allowCredentials, []);
});

test("only what the browser answered is sent", () => {
  const told = answer({
    id: "AQ",
    rawId: Uint8Array.of(1).buffer,
    type: "public-key",
    authenticatorAttachment: "platform",
    getClientExtensionResults: () => ({ credProps: { rk: true } }),
    response: { clientDataJSON: Uint8Array.of(2).buffer, signature: Uint8Array.of(3).buffer, userHandle: null },
  });
  assert.deepEqual(told.response, { clientDataJSON: "Ag", signature: "Aw" });
  assert.equal(told.rawId, "AQ");
  assert.deepEqual(told.clientExtensionResults, { credProps: { rk: true } });
});

test("every failure says what to do", () => {
  assert.match(refusal(new DOMException("", "InvalidStateError")), /already added/);
  assert.match(refusal(new DOMException("", "NotAllowedError")), /no key for this site/);
  assert.match(refusal(new Error("?")), /try again/);
});
