import { isId } from '../core/ids.ts';
import { hopsOf, idsAt } from '../model/links.ts';
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
    let records: readonly Readonly<Record<string, unknown>>[] = [links];
    let followed = '';
    for (const { link, target } of hopsOf(resources, resource, path)) {
      followed += followed === '' ? link : `.${link}`;
      const known = found.get(followed) ?? { resource: target, records: await follow(target, records, link) };
      found.set(followed, known);
      records = known.records;
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
