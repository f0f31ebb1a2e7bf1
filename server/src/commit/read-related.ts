import { isId } from '../core/ids.ts';
import { idsAt } from '../model/links.ts';
import type { StoredRecord } from '../model/record.ts';
import { Related } from '../model/related.ts';
import type { Resource } from '../model/resource.ts';
import type { Guard } from './write-request.ts';

/** What a decision relies on: records at paths of links, and the same records as guards. */
export interface ReadRecords {
  related: Related;
  guards: Guard[];
}

interface RelatedContext {
  resources: readonly Resource[];
  /** Reads one record of the account, or null. */
  readRecord: (resource: Resource, accountId: string, id: string) => Promise<StoredRecord | null>;
}

/**
 * Reads the records at these paths of links. A path of several links, such as `unit.building`, follows the records of its first part.
 *
 * @param links the members with the links of the first record.
 */
export async function readRelated(
  { resources, readRecord }: RelatedContext,
  accountId: string,
  resource: Resource,
  links: Readonly<Record<string, unknown>>,
  paths: readonly string[],
): Promise<ReadRecords> {
  const found = new Map<string, { resource: Resource; records: readonly StoredRecord[] }>();
  for (const path of paths) {
    let at: { resource: Resource; records: readonly Readonly<Record<string, unknown>>[] } = {
      resource,
      records: [links],
    };
    let rest = path;
    while (rest !== '') {
      const link = linkAtStart(at.resource, rest);
      const target = resources.find((candidate) => candidate.path === link?.path);
      if (!link || !target) throw new Error(`Bug! \`${path}\` is no path of links of ${resource.object}.`);
      rest = rest.slice(link.name.length + 1);
      const followed = rest === '' ? path : path.slice(0, -rest.length - 1);
      const known = found.get(followed) ?? { resource: target, records: await follow(target, at.records, link.name) };
      found.set(followed, known);
      at = known;
    }
  }
  const guards = [...found.values()].flatMap(({ resource: target, records }) =>
    records.map(({ account_id, id, revision }) => ({ resource: target, record: { account_id, id, revision } })),
  );
  const byPath = new Map([...found].map(([path, known]) => [path, known.records]));
  const kinds = new Map([...found.values()].flatMap((known) => known.records.map(({ id }) => [id, known.resource])));
  return { related: new Related(byPath, kinds), guards };

  async function follow(
    target: Resource,
    from: readonly Readonly<Record<string, unknown>>[],
    link: string,
  ): Promise<readonly StoredRecord[]> {
    const ids = from.flatMap((record) => idsAt(record, link)).map(({ id }) => id);
    const ours = [...new Set(ids)].filter((id) => isId(target.prefix, id));
    const records = await Promise.all(ours.map((id) => readRecord(target, accountId, id)));
    return records.filter((record) => record !== null);
  }
}

/** Returns the link with which a path begins. A link into a list of objects has two names: `pet_requests.customer`. */
function linkAtStart({ links, hiddenLinks }: Resource, path: string): { name: string; path: string } | null {
  for (const [name, target] of Object.entries({ ...links, ...hiddenLinks }))
    if (path === name || path.startsWith(`${name}.`)) return { name, path: target };
  return null;
}
