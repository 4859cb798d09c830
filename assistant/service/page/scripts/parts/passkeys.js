// Passkeys: the browser's side of signing in with one, and of making one.

export const hasPasskeys = () =>
  Boolean(globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON && navigator.credentials?.get);

/** Signs in with whichever passkey the user chooses; null where they think better of it. */
export async function signInWithPasskey(api) {
  const options = await api.post("/api/sign-in/passkey/options");
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await chosen(navigator.credentials.get({ publicKey }));
  return credential && api.post("/api/sign-in/passkey", { credential: credential.toJSON() });
}

/** Makes a passkey for who is signed in; null where they think better of it. */
export async function registerPasskey(api, name) {
  const options = await api.post("/api/passkeys/options");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await chosen(navigator.credentials.create({ publicKey }));
  return credential && api.post("/api/passkeys", { name, credential: credential.toJSON() });
}

/** Browsers call it "not allowed" both when the user says no and when time is up. */
async function chosen(asking) {
  try {
    return await asking;
  } catch (error) {
    if (["NotAllowedError", "AbortError"].includes(error.name)) return null;
    if (error.name === "InvalidStateError") throw Object.assign(error, { detail: "This device has a passkey for it already." });
    throw Object.assign(error, { detail: "The browser could not use a passkey here." });
  }
}
