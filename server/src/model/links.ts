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
