import type { EarlierPayment, Expectations, ExpectedTenancy } from '../../bank/matching.ts';
import { nameKey } from '../../bank/names.ts';
import { invoiceNumbersIn, isTelling } from '../../bank/references.ts';
import type { StatementLine } from '../../bank/statement-file.ts';
import type { ReadRows } from '../../model/traits/imports-file.ts';
import type { TenancyRecord } from './tenancy/fields.ts';

/*
 * What the lines of a bank statement are compared with: five statements for a whole file. Each is bounded by the lines of the file, or by
 * `tenantsMax`.
 */

/** The tenants whose names and debts are compared with lines. An account with more has proposals by references and earlier payers only. */
const tenantsMax = 20_000;

/** The newest payments of a reference or a payer that count. */
const earlierMax = 10;

/** Returns those of these fingerprints whose lines are there. */
export async function readKnown(
  read: ReadRows,
  accountId: string,
  fingerprints: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await read<{ fingerprint: string }>({
    name: 'known_bank_lines',
    text: 'select fingerprint from bank_lines where account_id = $1 and fingerprint = any($2::text[])',
    values: [accountId, fingerprints],
  });
  return new Set(rows.map(({ fingerprint }) => fingerprint));
}

export async function readExpectations(
  read: ReadRows,
  accountId: string,
  invoicePrefix: string,
  lines: readonly StatementLine[],
): Promise<Expectations> {
  const [invoices, byReference, byPayer] = await Promise.all([
    readInvoices(read, accountId, invoicePrefix, lines),
    readByReference(read, accountId, lines),
    readByPayer(read, accountId, lines),
  ]);
  const told = [
    ...invoices.values(),
    ...[...byReference.values(), ...byPayer.values()].flat().map(({ tenancy }) => tenancy),
  ];
  const named = [...new Set(invoices.values())];
  const tenancies =
    lines.length === 0
      ? []
      : ((await readTenancies(read, accountId, named, true)) ??
        (await readTenancies(read, accountId, [...new Set(told)], false)) ??
        []);
  return { invoicePrefix, tenancies, invoices, byReference, byPayer };
}

async function readInvoices(
  read: ReadRows,
  accountId: string,
  invoicePrefix: string,
  lines: readonly StatementLine[],
): Promise<Map<string, string>> {
  const numbers = new Set(lines.flatMap(({ reference }) => invoiceNumbersIn(reference, invoicePrefix)));
  if (numbers.size === 0) return new Map();
  const rows = await read<{ number: string; tenancy: string }>({
    name: 'invoices_by_number',
    text: 'select number, tenancy from invoices where account_id = $1 and number = any($2::text[])',
    values: [accountId, [...numbers]],
  });
  return new Map(rows.map(({ number, tenancy }) => [number, tenancy]));
}

type EarlierRow = { tenancy: string; customer: string | null };

/** Reads earlier payments with the references of the lines. Case, spaces and punctuation do not count, nor does money that went back. */
async function readByReference(
  read: ReadRows,
  accountId: string,
  lines: readonly StatementLine[],
): Promise<Map<string, EarlierPayment[]>> {
  const references = lines.flatMap(({ reference }) => (reference !== null && isTelling(reference) ? [reference] : []));
  if (references.length === 0) return new Map();
  // The index `payments_reference` has the same expression.
  const rows = await read<EarlierRow & { reference: string }>({
    name: 'payments_by_reference',
    text: `
      select wanted.reference, found.tenancy, found.customer
      from unnest($2::text[]) wanted (reference)
      cross join lateral (
        select tenancy, customer
        from payments
        where account_id = $1
          and tenancy is not null
          and reference is not null
          and lower(regexp_replace(reference collate "C", '[[:space:][:punct:]]+', '', 'g'))
            = lower(regexp_replace(wanted.reference collate "C", '[[:space:][:punct:]]+', '', 'g'))
          and status in ('pending', 'succeeded')
        order by id desc
        limit ${earlierMax}
      ) found`,
    values: [accountId, [...new Set(references)]],
  });
  return grouped(rows, ({ reference }) => reference);
}

/** Reads the tenancies and persons of earlier lines from the payers of the lines. A line whose payment failed or went back was a mistake. */
async function readByPayer(
  read: ReadRows,
  accountId: string,
  lines: readonly StatementLine[],
): Promise<Map<string, EarlierPayment[]>> {
  const keys = new Set(lines.flatMap(({ payer_name: payer }) => nameKey(payer) ?? []));
  if (keys.size === 0) return new Map();
  const rows = await read<EarlierRow & { payer: string }>({
    name: 'bank_lines_by_payer',
    text: `
      select wanted.payer, found.tenancy, found.customer
      from unnest($2::text[]) wanted (payer)
      cross join lateral (
        select tenancy, customer
        from bank_lines
        where account_id = $1 and payer_key = wanted.payer collate "C" and status = 'confirmed'
          and not exists (
            select from payments
            where payments.account_id = $1 and payments.id = bank_lines.payment and payments.status in ('failed', 'refunded')
          )
        order by id desc
        limit ${earlierMax}
      ) found`,
    values: [accountId, [...keys]],
  });
  return grouped(rows, ({ payer }) => payer);
}

function grouped<Row extends EarlierPayment>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string, EarlierPayment[]> {
  const groups = new Map<string, EarlierPayment[]>();
  for (const row of rows) {
    const { tenancy, customer } = row;
    groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), { tenancy, customer }]);
  }
  return groups;
}

type TenantRow = { id: string; rent: string; owed: string; customer: string; name: string | null };

/**
 * Reads tenancies with their tenants: these, and all whose money is expected if `isAll`.
 *
 * @returns null if there are more than `tenantsMax` tenants.
 */
async function readTenancies(
  read: ReadRows,
  accountId: string,
  ids: readonly string[],
  isAll: boolean,
): Promise<ExpectedTenancy[] | null> {
  const rows = await read<TenantRow>({
    name: 'expected_tenancies',
    text: `
      select tenancy.id, tenancy.rent, tenancy.owed, tenant.id as customer, customer.name
      from tenancies tenancy
      cross join lateral unnest(tenancy.customers) tenant (id)
      left join customers customer on customer.account_id = $1 and customer.id = tenant.id and customer.deleted_at is null
      where tenancy.account_id = $1
        and (
          tenancy.id = any($2::text[])
          or $3 and (tenancy.status in ('signed', 'active', 'notice') or tenancy.status = 'ended' and tenancy.balance > 0)
        )
      limit ${tenantsMax + 1}`,
    values: [accountId, ids, isAll],
  });
  if (rows.length > tenantsMax) return null;
  const tenancies = new Map<string, ExpectedTenancy & { tenants: { customer: string; name: string | null }[] }>();
  for (const { id, rent, owed, customer, name } of rows) {
    const known = tenancies.get(id) ?? {
      id,
      currency: (JSON.parse(rent) as TenancyRecord['rent']).currency,
      tenants: [],
      due: dueAmounts(JSON.parse(owed) as TenancyRecord['owed']),
    };
    known.tenants.push({ customer, name });
    tenancies.set(id, known);
  }
  return [...tenancies.values()];
}

/** Returns the amounts that settle an open invoice, or all of them. */
function dueAmounts(owed: TenancyRecord['owed']): number[] {
  const amounts = owed.map(({ amount }) => amount);
  return [...amounts, amounts.reduce((sum, amount) => sum + amount, 0)].filter((amount) => amount > 0);
}
