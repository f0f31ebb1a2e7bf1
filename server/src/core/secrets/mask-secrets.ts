/**
 * An API key (`sk_test_…`), a signing secret (`whsec_…`) or a token of the portal (`pst_…`) with at least 16 characters. A key can have the
 * name of a cell (`sk_test_eu1_…`). No checksum is compared, because texts are cut. The rest of a cut key can be guessed if little is
 * missing.
 */
const secretForm =
  /((?:sk|rk|ak)_(?:test|live)_(?:[a-z][a-z0-9]{1,11}_)?|whsec_|pst_)[0-9A-Za-z]{12,}([0-9A-Za-z]{4})/g;

/** The user name and password of a URL (RFC 3986, 3.2.1), also in JSON that escapes its slashes. */
const userOfUrl = /(:\\?\/\\?\/)(?:[^\s"/?#\\]|\\[^/])+@/g;

/**
 * Masks what no log may have: API keys, signing secrets, tokens of the portal, and the users and passwords of URLs. Returns the same text
 * if it has none.
 */
export function maskSecrets(text: string): string {
  let masked = text;
  if (text.includes('_test_') || text.includes('_live_') || text.includes('whsec_') || text.includes('pst_'))
    masked = masked.replace(secretForm, '$1****$2');
  return masked.includes('@') ? masked.replace(userOfUrl, '$1****@') : masked;
}

/** Masks secrets in a URL. One that hides a secret behind percent-encoding is written anew. */
export function maskSecretsInUrl(url: string): string {
  const masked = maskSecrets(url);
  if (!masked.includes('%')) return masked;
  try {
    const decoded = decodeURIComponent(masked);
    const maskedAnew = maskSecrets(decoded);
    return maskedAnew === decoded ? masked : encodeURI(maskedAnew);
  } catch {
    return masked;
  }
}
