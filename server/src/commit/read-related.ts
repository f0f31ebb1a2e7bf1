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
  const recordsAt = async (path: string): Promise<{ resource: Resource; records: readonly StoredRecord[] }> => {
    const known = found.get(path);
    if (known) return known;
    const end = path.lastIndexOf('.');
    const name = path.slice(end + 1);
    const from = end < 0 ? { resource, records: [links] } : await recordsAt(path.slice(0, end));
    const target = resources.find((candidate) => candidate.path === from.resource.links?.[name]);
    if (!target) throw new Error(`Bug! \`${path}\` is no path of links of ${resource.object}.`);
    const ids = from.records.flatMap((record) => idsAt(record, name)).map(({ id }) => id);
    const ours = [...new Set(ids)].filter((id) => isId(target.prefix, id));
    const records = await Promise.all(ours.map((id) => readRecord(target, accountId, id)));
    const result = { resource: target, records: records.filter((record) => record !== null) };
    found.set(path, result);
    return result;
  };
  for (const path of paths) await recordsAt(path);
  const guards = [...found.values()].flatMap(({ resource: target, records }) =>
    records.map(({ account_id, id, revision }) => ({ resource: target, record: { account_id, id, revision } })),
  );
  return { related: new Related(new Map([...found].map(([path, { records }]) => [path, records]))), guards };
}
