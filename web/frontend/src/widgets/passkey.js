// A form that is sent with the answer of a security key or passkey. The server's options are in the
// element that data-script names, or come from the address data-options. data-new makes a new key.

import { answer, creation, refusal, request } from "../lib/webauthn.js";

async function optionsOf(form) {
  const { script, options } = form.dataset;
  if (script) return JSON.parse(document.getElementById(script).textContent);
  const response = await fetch(options, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  return response.json();
}

async function ask(form) {
  const options = await optionsOf(form);
  if (!("new" in form.dataset)) return navigator.credentials.get(request(options.request_options));
  const passkey = form.elements.passwordless?.checked ?? false;
  return navigator.credentials.create(creation(options.creation_options, { passkey }));
}

export function mount(form) {
  const button = form.querySelector("[type=submit]");
  const message = form.querySelector("[data-refusal]") ?? document.querySelector("[data-refusal]");
  if (!globalThis.PublicKeyCredential) {
    message.textContent = "This browser doesn't support security keys.";
    message.hidden = form.hidden;
    return;
  }
  form.hidden = false;
  button.disabled = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    message.hidden = true;
    button.disabled = true;
    try {
      form.elements.credential.value = JSON.stringify(answer(await ask(form)));
      form.submit();
    } catch (error) {
      message.textContent = refusal(error);
      message.hidden = false;
      button.disabled = false;
    }
  });
}
