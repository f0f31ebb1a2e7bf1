import type { Client } from 'pg';

/**
 * The rows that one POST writes, and that every comparable program must write. They are read from the database, so that they stay true when
 * the product changes.
 */
export interface Sample {
  /** The tables with their rows, in the order of the writes. Deliveries are not among them. */
  tables: { table: string; rows: SampleRow[] }[];
  /** The texts of this request that differ in every request. */
  ids: Record<SampleId, string>;
  /** The digits of an id that encode the time. Ids that begin with them belong into this week's partitions. */
  timeDigits: string;
  /** The response. */
  answer: string;
}

export type SampleId = 'referenceId' | 'eventId' | 'requestId' | 'idempotencyKey';

/** The columns, with the values as PostgreSQL writes them. */
export type SampleRow = Record<string, string | null>;

/** The request that is measured. */
export const requestBody = JSON.stringify({
  application: 'app_1234567890abcdef',
  customer: 'cus_1234567890abcdef',
  type: 'customer',
  automatic_reference: { enabled: false, provider: 'provider_a' },
  metadata: { order: 'ref_123', source: 'bench', note: 'x'.repeat(40) },
});

const tables = ['idempotency_keys', 'tenant_references', 'count_deltas', 'request_logs', 'events'];

/** Sends the one request to a server with empty tables, and reads what it wrote. */
export async function takeSample(database: Client, url: string, secretKey: string): Promise<Sample> {
  const idempotencyKey = '00000000-00000000-00000000';
  const response = await fetch(`${url}/v1/references`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secretKey}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: requestBody,
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The sample was not answered well: ${answer}`);
  const rowsOf = async (table: string): Promise<SampleRow[]> => {
    const columns = await database.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_name = $1 order by ordinal_position`,
      [table],
    );
    const asText = columns.rows.map(({ name }) => `${name}::text`);
    return (await database.query<SampleRow>(`select ${asText.join(', ')} from ${table}`)).rows;
  };
  const sampled: Sample['tables'] = [];
  for (const table of tables) sampled.push({ table, rows: await rowsOf(table) });
  const [event] = await rowsOf('events');
  const referenceId = (JSON.parse(answer) as { id: string }).id;
  return {
    tables: sampled,
    ids: { referenceId, eventId: event!.id!, requestId: sampled[0]!.rows[0]!.request_id!, idempotencyKey },
    timeDigits: referenceId.slice(4, 12),
    answer,
  };
}

/** Cuts a text at its ids. Returns the ids and the texts between them. */
export function cutAtIds(text: string, ids: Sample['ids']): (string | { id: SampleId })[] {
  let pieces: (string | { id: SampleId })[] = [text];
  for (const [id, value] of Object.entries(ids) as [SampleId, string][]) {
    pieces = pieces.flatMap((piece) => {
      if (typeof piece !== 'string') return [piece];
      return piece.split(value).flatMap((part, index) => (index === 0 ? [part] : [{ id }, part]));
    });
  }
  return pieces.filter((piece) => piece !== '');
}
