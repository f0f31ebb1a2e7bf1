import { readFileSync } from 'node:fs';
import { Type, type Static } from 'typebox';
import Schema from 'typebox/schema';

const text = Type.String({ minLength: 1 });

const clientSchema = Type.Object(
  {
    /** The `api_key` of an account for `provider_a`. It tells the accounts apart. */
    token: Type.String({ minLength: 16 }),
    /** The credentials that Canopy has issued. */
    clientId: text,
    secretKey: text,
    apiKey: text,
    /** `INSTANT` has no employer and no former landlord. */
    itemType: Type.Optional(Type.Enum(['INSTANT', 'FULL'])),
    /** A branch that is linked with a branch of Canopy. */
    branchId: Type.Optional(text),
  },
  { additionalProperties: false },
);

const settingsSchema = Type.Object(
  {
    /** The base address of Canopy's environment. */
    url: text,
    /** The public address of this translator, for Canopy's webhooks. */
    callbackUrl: text,
    /** Where the translator keeps its orders. */
    ordersFile: text,
    host: Type.Optional(text),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    clients: Type.Array(clientSchema, { minItems: 1 }),
  },
  { additionalProperties: false },
);

export type CanopySettings = Static<typeof settingsSchema>;

/** An account of Tenure at Canopy. */
export type CanopyClient = Static<typeof clientSchema>;

/**
 * Reads the settings of the translator.
 *
 * @throws {Error} with the place of the first fault, and without secrets.
 */
export function readSettings(file: string): CanopySettings {
  const settings = jsonIn(readFileSync(file, 'utf8'));
  if (settings === undefined) throw new Error(`${file} is no JSON.`);
  if (!Schema.Check(settingsSchema, settings)) {
    const [, [fault]] = Schema.Errors(settingsSchema, settings);
    throw new Error(`${file} is wrong at ${fault?.instancePath || '/'} (${fault?.message ?? 'it has another shape'}).`);
  }
  for (const [name, url] of [
    ['url', settings.url],
    ['callbackUrl', settings.callbackUrl],
  ] as const) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new Error(`${file} is wrong at /${name} (it is no address of HTTP).`);
  }
  for (const name of ['token', 'clientId'] as const) {
    if (new Set(settings.clients.map((client) => client[name])).size < settings.clients.length) {
      throw new Error(`${file} is wrong at /clients (two of them have the same ${name}).`);
    }
  }
  return settings;
}

/** Returns undefined for a text that is no JSON. The error would quote the text, which has secrets. */
function jsonIn(contents: string): unknown {
  try {
    return JSON.parse(contents);
  } catch {
    return undefined;
  }
}
