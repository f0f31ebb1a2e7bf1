import type { Action, Resource } from './resource.ts';
import { aboutAccount } from './traits/about-account.ts';
import { erasable } from './traits/erasable.ts';
import { personalTexts } from './traits/personal-texts.ts';
import { nestedUnder } from './traits/nested-under.ts';
import { sumsUp } from './traits/sums-up.ts';

/**
 * Returns the list of all kinds of record, after comparing them with each other.
 *
 * @throws {Error} if two kinds share a name, or if a definition names a kind that does not exist.
 */
export function checkedKinds(kinds: readonly Resource[]): readonly Resource[] {
  for (const name of ['object', 'prefix', 'path', 'table'] as const) requireUnique(kinds, name);
  for (const kind of kinds) {
    requirePrefix(kind);
    requireKnownKinds(kind, kinds);
  }
  return kinds;
}

/** Requires that kinds differ, because an id, an event type and a path each name one kind. */
function requireUnique(kinds: readonly Resource[], name: 'object' | 'prefix' | 'path' | 'table'): void {
  const owners = new Map<string, string>();
  for (const { object, [name]: value } of kinds) {
    const other = owners.get(value);
    if (other !== undefined) throw new Error(`Bug! ${other} and ${object} have the same \`${name}\`: ${value}.`);
    owners.set(value, object);
  }
}

/** Requires a prefix that ids can have. */
function requirePrefix({ object, prefix }: Resource): void {
  if (!/^[a-z]+$/.test(prefix))
    throw new Error(`Bug! The prefix of ${object}, \`${prefix}\`, is not of lower-case letters.`);
}

/** Requires that every kind that a definition names exists. */
function requireKnownKinds(kind: Resource, kinds: readonly Resource[]): void {
  const { object, links = {} } = kind;
  const require = (option: string, path: string): void => {
    if (kinds.some((other) => other.path === path)) return;
    throw new Error(
      `Bug! \`${option}\` of ${object} names \`${path}\`, which is no kind of record. Correct it, or list the kind in \`resources/index.ts\`.`,
    );
  };
  for (const [field, path] of Object.entries(links)) require(`links.${field}`, path);
  for (const { of, link, find } of sumsUp.of(kind) ?? []) {
    require('sumsUp', of);
    const other = kinds.find(({ path }) => path === of);
    if (!find && other?.links?.[link] !== kind.path)
      throw new Error(`Bug! ${object} sums up \`${of}\` by \`${link}\`, which does not link to it.`);
  }
  const erasure = erasable.of(kind);
  for (const link of erasure ? [erasure.link, ...erasure.files] : []) {
    if (!(link in links))
      throw new Error(`Bug! The trait \`erasable\` of ${object} names \`${link}\`, which is no link.`);
  }
  const texts = personalTexts.of(kind);
  for (const link of [...(texts?.links ?? []), ...(texts?.person === undefined ? [] : [texts.person])])
    if (!(link in links))
      throw new Error(`Bug! The trait \`personalTexts\` of ${object} names \`${link}\`, which is no link.`);
  for (const name of Object.keys(texts?.texts ?? {}))
    if (!(name in kind.fields))
      throw new Error(`Bug! The trait \`personalTexts\` of ${object} names \`${name}\`, which is no field.`);
  const about = aboutAccount.of(kind);
  if (about) require('aboutAccount', about.path);
  const nesting = nestedUnder.of(kind);
  for (const path of Object.keys({ ...nesting?.columns, ...nesting?.actions })) require('nestedUnder', path);
  const actions: Action[] = [
    ...Object.values(kind.actions ?? {}),
    ...Object.values(nesting?.actions ?? {}).flatMap((ofKind) => Object.values(ofKind)),
  ];
  for (const { names = {} } of actions) for (const path of Object.values(names)) require('names', path);
}
