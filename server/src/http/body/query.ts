import { Type, type TProperties, type TSchema } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { faultsMax, unknownParameter, validator, type Validator } from './validate.ts';
import type { Query } from '../route.ts';

/**
 * Matches the name of paths to expand: `expand` and `expand[]`, repeated or with commas. Stripe's libraries send `expand[0]`. This
 * parameter has rules of its own.
 */
const expandName = /^expand(?:\[\d{0,3}\])?$/;

/**
 * Compiles the parameters of a route. All are optional, but for the required ones. An error about an unknown name can also suggest the
 * names in `suggested`.
 */
export function queryReader(
  parameters: Record<string, TSchema>,
  required: readonly string[] = [],
  suggested: readonly string[] = [],
): (url: string) => { query: Query; expand: string[] } {
  const members: TProperties = Object.fromEntries(
    Object.entries(parameters).map(([name, schema]) => [
      name,
      required.includes(name) ? schema : Type.Optional(schema),
    ]),
  );
  const validate: Validator = validator(closedObject(members));
  const known = [...Object.keys(parameters), ...suggested];
  return (url) => {
    const query: Record<string, string | number> = Object.create(null);
    const expand: string[] = [];
    const faults: ApiError[] = [];
    for (const [name, value] of pairsOf(url)) {
      if (expandName.test(name)) {
        expand.push(...value.split(','));
        continue;
      }
      const schema = Object.hasOwn(parameters, name) ? parameters[name] : null;
      if (faults.some(({ param }) => param === name)) continue;
      if (faults.length === faultsMax) break;
      if (!schema) faults.push(unknownParameter([name], known));
      else if (value.includes('\0'))
        faults.push(invalidParameter(name, `\`${name}\` contains a NUL character. Remove it.`));
      else if (name in query) faults.push(invalidParameter(name, `\`${name}\` was sent twice. Send it once.`));
      else
        query[name] =
          'type' in schema && schema.type === 'integer' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    }
    validate(query, faults);
    return { query, expand };
  };
}

/** Returns the decoded pairs of a query string. */
function pairsOf(url: string): [string, string][] {
  const start = url.indexOf('?');
  if (start === -1) return [];
  return url
    .slice(start + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError(
      'parameter_invalid',
      `The query has \`${text.slice(0, 40)}\`, which is not valid percent-encoded UTF-8. Encode it again.`,
    );
  }
}
