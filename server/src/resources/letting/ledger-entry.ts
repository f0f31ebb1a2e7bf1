import { Type } from 'typebox';
import { CalendarDate, LinkedId } from '../../model/schemas/fields.ts';
import type { Fields, RecordOf } from '../../model/record.ts';
import { defineResource } from '../../model/resource.ts';
import { nullable, oneOf } from '../../model/schemas/make.ts';
import { nestedUnder } from '../../model/traits/nested-under.ts';
import { silent } from '../../model/traits/silent.ts';

const fields = {
  tenancy: { column: 'text', schema: LinkedId, description: 'The id of the tenancy.' },
  sequence: {
    column: 'integer',
    schema: Type.Integer({ minimum: 1 }),
    description: 'Its number in the tenancy: 1, 2, … without a gap.',
  },
  date: {
    column: 'date',
    schema: CalendarDate,
    description: 'The day of the finalization, of the receipt, or of the change.',
  },
  type: {
    column: 'text',
    schema: oneOf('invoice', 'void', 'credit', 'payment', 'payment_failed', 'refund'),
    description:
      '`invoice`: one was finalized. `void` and `credit` take it back, wholly or in part. `payment`: money came. `payment_failed` and `refund`: it went back.',
  },
  amount: {
    column: 'bigint',
    schema: Type.Integer(),
    description: 'What it adds to the balance, in the smallest unit of the currency. Below 0, it settles.',
  },
  balance: {
    column: 'bigint',
    schema: Type.Integer(),
    description: 'What the tenants owe after it, in the smallest unit of the currency. Below 0, they have credit.',
  },
  invoice: { column: 'text', schema: nullable(LinkedId), description: 'The id of its invoice. Null if it has none.' },
  payment: { column: 'text', schema: nullable(LinkedId), description: 'The id of its payment. Null if it has none.' },
} satisfies Fields;

export type LedgerEntryRecord = RecordOf<typeof fields>;

/** A line in the ledger of a tenancy. The change of an invoice or a payment writes it, and nothing changes it later. */
export const ledgerEntry = defineResource<LedgerEntryRecord>(
  {
    object: 'ledger_entry',
    prefix: 'led',
    path: 'ledger',
    table: 'ledger_entries',
    docs: {
      description:
        'A line in the ledger of a tenancy. Finalized invoices add to the balance, and payments settle it. Entries are never changed: a mistake gets an entry of its own. The sum of all amounts is the `balance` of the tenancy.',
      example: {
        record: {
          tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
          sequence: 1,
          date: '2027-01-25',
          type: 'invoice',
          amount: 95_000,
          balance: 95_000,
          invoice: 'in_0VbZq9aK00mT3cUuP8sXw4',
          payment: null,
        },
      },
    },
    fields,
    links: { tenancy: 'tenancies', invoice: 'invoices', payment: 'payments' },
  },
  nestedUnder({ columns: { tenancies: 'tenancy' } }),
  silent(),
);
