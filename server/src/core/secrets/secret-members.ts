import { setMember, type Json, type JsonObject } from '../json-diff.ts';
import { editDistance } from '../nearest.ts';
import { credentialNames, providers } from '../vocabulary/providers.ts';

const redactedText = '[redacted]';

/** The credentials that are secret by themselves. The name of a user is only secret beside its password. */
const secretCredentials = Object.values(credentialNames)
  .flat()
  .filter((name) => name !== 'username');

/** One error in so many letters is a typo. */
const lettersPerTypo = 6;

/**
 * Knows the members of bodies and queries whose values no log may have. A client may misspell their names, or put them into the wrong
 * object. So it knows them in any place and writing, also with a typo.
 */
export class SecretMembers {
  readonly #names: readonly string[];
  /** A name that another member has almost. It has no typos. */
  readonly #exactNames: ReadonlySet<string> = new Set(providers.map(plain));
  readonly #known = new Map<string, boolean>();

  /** @param names the secret members of all routes. */
  constructor(names: readonly string[]) {
    this.#names = [...new Set([...names, 'credentials', ...secretCredentials].map(plain))];
  }

  /** Redacts every secret in a body. Returns the same value if it has none. */
  redact(body: JsonObject): JsonObject {
    return this.#isIn(body) ? (this.#redacted(body) as JsonObject) : body;
  }

  /** Redacts the secret parameters of a URL. Returns the same URL if it has none. */
  redactUrl(url: string): string {
    const [path, ...query] = url.split('?');
    if (query.length === 0) return url;
    const parameters = query.join('?').split('&');
    const redacted = parameters.map((parameter) => {
      const [name = ''] = parameter.split('=', 1);
      return name !== parameter && this.#isPath(decoded(name)) ? `${name}=${redactedText}` : parameter;
    });
    return `${path}?${redacted.join('&')}`;
  }

  /** Returns whether a text that is no JSON may name a secret member. */
  mayBeIn(text: string): boolean {
    const readable = text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    );
    // Begin only where a name begins: from each letter of a long name, a search would read to its end.
    return (readable.match(/(?<![\w-])[\w-]{3,}(?=["'\\\]\s]*[:=])/g) ?? []).some((name) => this.#isSecret(name));
  }

  #isIn(value: Json): boolean {
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return value.some((item) => this.#isIn(item));
    return Object.entries(value).some(([name, member]) => this.#isPath(name) || this.#isIn(member));
  }

  #redacted(value: Json): Json {
    return mapMembers(value, (name, member) => (this.#isPath(name) ? withoutTexts(member) : this.#redacted(member)));
  }

  /** Returns whether a name, or a part of `outer[inner]`, is that of a secret member. */
  #isPath(name: string): boolean {
    return name.split(/[[\].]+/).some((part) => this.#isSecret(part));
  }

  #isSecret(name: string): boolean {
    if (name.length > 40) return false;
    let isSecret = this.#known.get(name);
    if (isSecret === undefined) {
      isSecret = this.#isNear(plain(name));
      // Clients choose the names in `metadata`.
      if (this.#known.size >= 1_000) this.#known.clear();
      this.#known.set(name, isSecret);
    }
    return isSecret;
  }

  #isNear(name: string): boolean {
    if (this.#exactNames.has(name)) return true;
    return this.#names.some((secret) => {
      const typosMax = Math.max(1, Math.floor(secret.length / lettersPerTypo));
      return Math.abs(secret.length - name.length) <= typosMax && editDistance(name, secret) <= typosMax;
    });
  }
}

/** Returns a name without case, separators and the plural. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/s$/, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Redacts every text and number in a value, and keeps its shape. */
function withoutTexts(value: Json): Json {
  return typeof value === 'string' || typeof value === 'number'
    ? redactedText
    : mapMembers(value, (_, member) => withoutTexts(member));
}

function mapMembers(value: Json, map: (name: string, member: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((item, index) => map(String(index), item));
  if (typeof value !== 'object' || value === null) return value;
  const mapped: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setMember(mapped, name, map(name, member));
  return mapped;
}
