import type { Client } from 'pg';

/** What clients know of their writes. Numbers are in the metadata of records, under `n`. */
export interface Known {
  acknowledged: readonly number[];
  refused: readonly number[];
  /** Ids of references that were made. */
  references: readonly string[];
}

/**
 * Compares the database with the responses. An acknowledged write must have exactly one event, and a refused one none. A write without a
 * response has at most one.
 *
 * @returns a line for each difference.
 */
export async function findFaults(database: Client, { acknowledged, refused, references }: Known): Promise<string[]> {
  const faults: string[] = [];
  // The object of an event comes before its previous attributes.
  const numbered = await database.query<{ number: number; events: number }>(
    `select substring(data from '"n": ?"([0-9]+)"')::integer as number, count(*)::integer as events
     from events
     where type in ('customer.created', 'customer.updated') and data ~ '"n": ?"[0-9]+"'
     group by 1`,
  );
  const eventsOf = new Map(numbered.rows.map(({ number, events }) => [number, events]));
  for (const [number, events] of eventsOf) if (events > 1) faults.push(`Write ${number} has ${events} events.`);
  for (const number of acknowledged)
    if (!eventsOf.has(number)) faults.push(`Write ${number} was acknowledged and is lost.`);
  for (const number of refused) if (eventsOf.has(number)) faults.push(`Write ${number} was refused and is there.`);
  const { rows } = await database.query<{ id: string; records: number; events: number }>(
    `select id,
       (select count(*)::integer from tenant_references reference where reference.id = wanted.id) as records,
       (select count(*)::integer from events where object_id = wanted.id and type = 'reference.created') as events
     from unnest($1::text[]) as wanted (id)`,
    [references],
  );
  for (const { id, records, events } of rows)
    if (records !== 1 || events !== 1)
      faults.push(`${id} was acknowledged. It has ${records} records and ${events} events.`);
  const { rows: twice } = await database.query<{ object_id: string }>(
    `select object_id from events where type like '%.created' group by object_id having count(*) > 1`,
  );
  for (const { object_id: id } of twice) faults.push(`${id} was created twice, by its events.`);
  return faults;
}
