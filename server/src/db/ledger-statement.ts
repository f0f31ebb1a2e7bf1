import type { Day } from '../core/calendar.ts';
import { onlyRow } from './only-row.ts';
import type { Reader } from './reader.ts';

/** An entry of a ledger as a statement shows it. */
export interface StatementEntry {
  sequence: number;
  date: Day;
  type: string;
  /** In the smallest unit of the currency. Above 0, it is owed. */
  amount: number;
  /** What was owed after it, in the order of the statement. */
  balance: number;
  invoice: string | null;
  payment: string | null;
}

/** What the tenants owed before some days, the entries of these days, and what they owe then. */
export interface StatementFacts {
  /** Null if it goes back to the first entry. */
  from: Day | null;
  to: Day;
  opening: number;
  closing: number;
  entries: readonly StatementEntry[];
}

interface Wanted {
  accountId: string;
  tenancy: string;
  /** The first and the last day. */
  from: Day;
  to: Day;
  /** The most entries that are returned. */
  limit: number;
}

/**
 * Reads the entries of a ledger by their days. Money can be recorded days after it came. So the order differs from that of the ledger, and
 * so do the balances.
 */
export async function readStatement(
  reader: Reader,
  { accountId, tenancy, from, to, limit }: Wanted,
): Promise<{ opening: number; entries: StatementEntry[] }> {
  const rows = await reader.query<{ opening: number; entries: string | null }>({
    name: 'read_statement',
    text: `
      with ordered as (
        select sequence, date, type, amount, invoice, payment,
          sum(amount) over (order by date, sequence)::bigint as balance
        from ledger_entries
        where account_id = $1 and tenancy = $2 and date <= $4
      )
      select
        coalesce((select sum(amount) from ordered where date < $3), 0)::bigint as opening,
        (
          select json_agg(to_json(entry) order by entry.date, entry.sequence)
          from (select * from ordered where date >= $3 order by date, sequence limit $5) entry
        )::text as entries`,
    values: [accountId, tenancy, from, to, limit],
  });
  const { opening, entries } = onlyRow(rows);
  return { opening, entries: entries === null ? [] : (JSON.parse(entries) as StatementEntry[]) };
}

/** What a reader knows the entries of a ledger by. */
interface EntryTexts {
  /** The numbers of invoices, by id. */
  numbers: ReadonlyMap<string, string>;
  /** The descriptions of the first lines of invoices, by id. Long ones are cut. */
  descriptions: ReadonlyMap<string, string>;
  /** The methods of payments, by id. */
  methods: ReadonlyMap<string, string>;
}

/** Characters of a description. The rent of a period fits. */
const descriptionMax = 80;

/** Reads the numbers and descriptions of the invoices, and the methods of the payments, that entries name. */
export async function readEntryTexts(
  reader: Reader,
  { accountId, entries }: { accountId: string; entries: readonly StatementEntry[] },
): Promise<EntryTexts> {
  const rows = await reader.query<{
    id: string;
    number: string | null;
    description: string | null;
    method: string | null;
  }>({
    name: 'read_entry_texts',
    text: `
      select id, number, left(lines::json -> 0 ->> 'description', ${descriptionMax}) as description, null as method
      from invoices
      where account_id = $1 and id = any($2)
      union all
      select id, null, null, method
      from payments
      where account_id = $1 and id = any($3)`,
    values: [accountId, idsOf(entries, 'invoice'), idsOf(entries, 'payment')],
  });
  const by = (name: 'number' | 'description' | 'method'): Map<string, string> =>
    new Map(rows.flatMap((row): [string, string][] => (row[name] === null ? [] : [[row.id, row[name]]])));
  return { numbers: by('number'), descriptions: by('description'), methods: by('method') };
}

function idsOf(entries: readonly StatementEntry[], link: 'invoice' | 'payment'): string[] {
  return [...new Set(entries.map((entry) => entry[link]).filter((id) => id !== null))];
}
