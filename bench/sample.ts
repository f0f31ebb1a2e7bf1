import type { Client } from 'pg';

/**
 * The rows that one POST writes, as the product wrote them: what any other way of doing the same has to write. Read back from the
 * database, so that it stays true when the product changes.
 */
export interface Sample {
  /** The tables with their rows, in the order in which they are written. Deliveries are not among them. */
  tables: { table: string; rows: SampleRow[] }[];
  /** Texts that are different in every request, as they are in this one. */
  ids: Record<SampleId, string>;
  /** The digits of an id that tell the time; ids that begin with them belong into this week's partitions. */
  timeDigits: string;
  /** What the client got. */
  answer: string;
}

export type SampleId = 'referenceId' | 'eventId' | 'requestId' | 'idempotencyKey';

/** Column by column, as PostgreSQL writes the values. */
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

/** Cuts a text at the ids in it: what is left between them, and which they are. */
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
