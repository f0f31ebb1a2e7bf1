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
