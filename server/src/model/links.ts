import type { Resource } from './resource.ts';

/** An id in a link, and its place as errors name it: `customers[0]` or `pet_requests[0][customer]`. */
export interface LinkedId {
  id: string;
  param: string;
}

type Members = Readonly<Record<string, unknown>>;

const none: readonly LinkedId[] = [];

/**
 * Returns the ids at a link of an object. A link is the name of a member, which has one id or a list. A link into a list of objects names
 * both members: `pet_requests.customer`.
 */
export function idsAt(object: Members | null | undefined, link: string): readonly LinkedId[] {
  if (!object) return none;
  const dot = link.indexOf('.');
  // Most links are one id or null, and each write looks at all of them.
  if (dot < 0 && !Array.isArray(object[link])) {
    const id = object[link];
    return typeof id === 'string' ? [{ id, param: link }] : none;
  }
  const member = dot < 0 ? link : link.slice(0, dot);
  const inner = dot < 0 ? null : link.slice(dot + 1);
  const value = object[member];
  return Array.isArray(value)
    ? value.flatMap((item, index) => idsIn(item, inner, `${member}[${index}]`))
    : idsIn(value, inner, member);
}

function idsIn(value: unknown, inner: string | null, param: string): readonly LinkedId[] {
  if (inner === null) return typeof value === 'string' ? [{ id: value, param }] : [];
  if (typeof value !== 'object' || value === null) return [];
  // `files[0]` within `right_to_rent` is `right_to_rent[files][0]`.
  return idsAt(value as Members, inner).map(({ id, param: name }) => ({
    id,
    param: param + name.replace(/^[^[]+/, '[$&]'),
  }));
}

/** A link on a path: the kind that has it, its name, and the kind that it leads to. */
export interface Hop {
  from: Resource;
  link: string;
  target: Resource;
}

/**
 * Returns the links of a path, such as `unit.building`, in their order. A link into a list of objects has two names:
 * `pet_requests.customer`.
 */
export function hopsOf(resources: readonly Resource[], first: Resource, path: string): Hop[] {
  const hops: Hop[] = [];
  let from = first;
  for (let rest = path; rest !== '';) {
    const links = Object.entries({ ...from.links, ...from.hiddenLinks });
    const [link, place] = links.find(([name]) => rest === name || rest.startsWith(`${name}.`)) ?? [];
    const target = resources.find((resource) => resource.path === place);
    if (link === undefined || !target) throw new Error(`Bug! \`${path}\` is no path of links of ${first.object}.`);
    hops.push({ from, link, target });
    rest = rest.slice(link.length + 1);
    from = target;
  }
  return hops;
}
