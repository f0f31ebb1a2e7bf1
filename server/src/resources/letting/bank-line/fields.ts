import { Type } from 'typebox';
import { candidatesMax, evidence } from '../../../bank/matching.ts';
import { CalendarDate, LinkedId, moment } from '../../../model/schemas/fields.ts';
import type { Fields, RecordOf } from '../../../model/record.ts';
import { amountMax } from '../../../model/schemas/money-schema.ts';
import { closedObject, described, named, nullable, oneOf } from '../../../model/schemas/make.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });

/** The states of a line, in the order of a line’s life. */
export const lineStatuses = ['proposed', 'unmatched', 'confirmed', 'ignored'] as const;
export type LineStatus = (typeof lineStatuses)[number];
export const BankLineStatus = named(
  'BankLineStatus',
  'The state of a line of a bank statement.',
  oneOf(...lineStatuses),
);

const MatchedBy = Type.Array(named('BankLineEvidence', 'A part of a line that fits a tenancy.', oneOf(...evidence)), {
  maxItems: evidence.length,
});

const Candidate = named(
  'BankLineCandidate',
  'A tenancy that a line may be for.',
  closedObject({
    tenancy: described(LinkedId, 'The id of the tenancy.'),
    customer: described(nullable(LinkedId), 'The id of the person that paid. Null if the payer is not known.'),
    matched_by: described(MatchedBy, 'What of the line fits the tenancy.'),
  }),
);

const erased = (): null => null;

export const fields = {
  import: { column: 'text', schema: LinkedId, description: 'The id of the import that made it.' },
  line: {
    column: 'integer',
    schema: Type.Integer({ minimum: 1 }),
    description: 'The number of its line in the file of that import.',
  },
  received_on: { column: 'date', schema: CalendarDate, description: 'The day on which the money came.' },
  amount: {
    column: 'bigint',
    schema: Type.Integer({ minimum: 1, maximum: amountMax }),
    description: 'The amount, in the smallest unit of the currency.',
  },
  currency: {
    column: 'text',
    schema: Type.String({ pattern: '^[a-z]{3}$', examples: ['gbp'] }),
    description: 'The currency (ISO 4217), in lower case.',
  },
  reference: {
    column: 'text',
    schema: nullable(Text),
    description: 'The reference that the bank shows. Null if there is none, or if its person was erased.',
    erased,
  },
  payer_name: {
    column: 'text',
    schema: nullable(Text),
    description: 'The name of the payer as the bank writes it. Null if there is none, or if its person was erased.',
    erased,
  },
  status: {
    column: 'text',
    schema: BankLineStatus,
    description:
      '`proposed` for the tenancy in `tenancy`, or `unmatched`. `confirmed`: it is the payment in `payment`. `ignored`: it is no payment of a tenant.',
  },
  tenancy: {
    column: 'text',
    schema: nullable(LinkedId),
    description:
      'The id of the proposed tenancy. After the confirmation, the id of the payment’s tenancy. Null if there is none.',
  },
  customer: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the person that paid. Null if the payer is not known.',
  },
  matched_by: {
    column: 'text[]',
    schema: MatchedBy,
    description: 'What of the line fits the proposed tenancy. Empty if none is proposed, or if you chose another one.',
  },
  candidates: {
    column: 'json',
    schema: Type.Array(Candidate, { maxItems: candidatesMax }),
    description: `The tenancies that an unmatched line may be for, the best first, at most ${candidatesMax}.`,
  },
  payment: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of its payment. Null until it is confirmed. It stays if the payment fails or goes back later.',
  },
  confirmed_at: moment('When it was confirmed', 'Null until then.'),
  ignored_at: moment('When it was ignored', 'Null if it is not.'),
  /** Equal for the same money in two files. It stays after an erasure, so that no file brings the line back. */
  fingerprint: { column: 'text', schema: Type.String({ pattern: '^[0-9a-f]{64}$' }), shown: 'never' },
  /** The payer’s name in the form that two spellings share. */
  payer_key: { column: 'text', schema: nullable(Type.String()), shown: 'never', erased },
} satisfies Fields;

export type BankLineRecord = RecordOf<typeof fields>;
