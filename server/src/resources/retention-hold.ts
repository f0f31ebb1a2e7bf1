import { Type } from 'typebox';
import { addDays } from '../core/calendar.ts';
import { retentionKinds } from '../law/index.ts';
import type { Caller } from '../model/callers/caller.ts';
import { CalendarDate, LinkedId, moment, SingleLine } from '../model/schemas/fields.ts';
import type { Fields, RecordOf } from '../model/record.ts';
import { actionFrom, defineResource, exactly, type Change } from '../model/resource.ts';
import { closedObject, described, named, nullable, oneOf } from '../model/schemas/make.ts';
import { requireStatus } from '../model/status.ts';
import { daybreak } from '../model/traits/daybreak.ts';
import { sealsPersons } from '../model/traits/seals-persons.ts';

const HoldKind = named('RetentionHoldKind', 'The duty of a retention hold.', oneOf(...retentionKinds));
const HoldStatus = named('RetentionHoldStatus', 'The state of a retention hold.', oneOf('held', 'expired'));

const Text = Type.String();

/** The sealed data. What a duty does not need is null. */
const HoldContent = named(
  'RetentionHoldContent',
  'The data that a retention hold keeps.',
  closedObject({
    name: described(nullable(Text), 'The name of the person. Null if the duty does not need it.'),
    address: described(
      nullable(
        closedObject({
          line1: described(Text, 'House and street.'),
          line2: described(nullable(Text), 'The second line. Null if there is none.'),
          city: described(Text, 'Town or city.'),
          postal_code: described(Text, 'The postal code.'),
          country: described(Text, 'ISO 3166-1 alpha-2, such as `GB`.'),
          from: described(nullable(Text), 'The first day there. Null if it is not known.'),
          to: described(nullable(Text), 'The last day there. Null if it is not known.'),
        }),
      ),
      'The last address of the person. Null if the duty does not need it, or if none was known.',
    ),
    right_to_rent: described(
      nullable(
        closedObject({
          status: described(Text, '`unlimited` or `time_limited`.'),
          checked_on: described(Text, 'The day of the check.'),
          expires_on: described(nullable(Text), 'The last day of the right. Null if it has none.'),
        }),
      ),
      'The check of the right to rent. Null if the duty does not need it.',
    ),
    tenancies: Type.Array(Text, { description: 'The ids of the tenancies that the duty is about.' }),
    files: Type.Array(
      closedObject({
        file: described(Text, 'The id of the file.'),
        purpose: described(Text, 'The purpose of the file.'),
        filename: described(Text, 'The filename that the sender gave it.'),
        size: Type.Integer({ description: 'The size in bytes.' }),
        sha256: described(Text, 'The SHA-256 hash of the contents, in hex.'),
        content_type: Type.Optional(
          described(Text, 'The type of the contents. Left out in older holds, whose files are all `application/pdf`.'),
        ),
      }),
      {
        description: 'The sealed files. `GET /v1/retention_holds/{id}/contents` returns the bytes of each.',
      },
    ),
  }),
);

const fields = {
  customer: { column: 'text', schema: LinkedId, description: 'The id of the erased person.' },
  kind: {
    column: 'text',
    schema: HoldKind,
    description: '`right_to_rent`: the evidence of the right to rent. `accounts`: what explains the records of rent.',
  },
  basis: { column: 'text', schema: Type.String(), description: 'The law that requires it.' },
  files: {
    column: 'text[]',
    schema: Type.Array(Type.String()),
    description: 'The ids of the sealed files. No other operation finds these files any more.',
  },
  until: {
    column: 'date',
    schema: CalendarDate,
    description: 'The last day on which the data is kept. On the next day, the hold expires and is emptied for good.',
  },
  status: { column: 'text', schema: HoldStatus, description: '`held`, or `expired` when the data is gone.' },
  reveals: { column: 'integer', schema: Type.Integer({ minimum: 0 }), description: 'How often it was revealed.' },
  revealed_at: moment('When it was last revealed', 'Null if it never was.'),
  expired_at: moment('When it expired', 'Null if it has not.'),
  revealed_to: { column: 'text', schema: nullable(Type.String()), shown: 'never' },
  sealed: { column: 'encrypted', schema: nullable(Type.Any()), shown: 'never' },
  /** Encrypts the bytes of the files. Without it, the stored parts cannot be read. */
  file_key: { column: 'encrypted', schema: nullable(Type.Any()), shown: 'never' },
  content: {
    column: null,
    schema: HoldContent,
    shown: 'as_secret',
    description: 'The sealed data. Only the response of `reveal` has it.',
  },
} satisfies Fields;

export type RetentionHoldRecord = RecordOf<typeof fields> & { sealed: Buffer | null; file_key: Buffer | null };

/** What a legal duty keeps of an erased person, sealed until the end of the duty. */
export const retentionHold = defineResource<RetentionHoldRecord>(
  {
    object: 'retention_hold',
    prefix: 'hold',
    path: 'retention_holds',
    table: 'retention_holds',
    docs: {
      description:
        'What a legal duty keeps of an erased person. The deletion of a customer makes it, and `GET /v1/customers/{id}/erasure` announces it. The data is encrypted, and no list, event or log shows it. Only `reveal` returns it. When the duty ends, the hold expires and is emptied for good.',
      example: {
        record: {
          customer: 'cus_0VbZq9aK01pR7dWqN2tLy8',
          kind: 'right_to_rent',
          basis: 'Immigration Act 2014, s22 to s24',
          files: ['file_0VbZq9aK01pR7dWqN2tLy8'],
          until: '2028-05-01',
          status: 'held',
          reveals: 1,
          revealed_at: 1_801_526_400,
          expired_at: null,
          content: {
            name: null,
            address: null,
            right_to_rent: { status: 'unlimited', checked_on: '2027-01-10', expires_on: null },
            tenancies: ['ten_0VbZq9aK00mT3cUuP8sXw4'],
            files: [
              {
                file: 'file_0VbZq9aK01pR7dWqN2tLy8',
                purpose: 'right_to_rent',
                filename: 'passport.pdf',
                size: 48_213,
                sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
                content_type: 'application/pdf',
              },
            ],
          },
        },
        before: { reveals: 0, revealed_at: null },
        after: { expired: { status: 'expired', expired_at: 1_840_838_400 } },
      },
    },
    fields,
    links: { customer: 'customers' },
    verbs: {
      revealed: 'Its data was shown to the actor. The event has none of the data.',
      expired: 'The duty has ended, and the data is gone.',
    },
    counted: ['status'],
    filters: exactly({ customer: LinkedId, kind: HoldKind, status: HoldStatus }),
    actions: {
      reveal: actionFrom(
        {
          reason: described(SingleLine, 'Why the data is needed. The log of the request keeps it.'),
        },
        reveal,
        {
          summary: 'Reveal a retention hold',
          description:
            'Returns the hold with the sealed data as `content`. The log keeps the reason and the caller, but not the data. For ten minutes, the same caller can download the files with `GET /v1/retention_holds/{id}/contents`. A person confirms its identity first. A repeat with the same `Idempotency-Key` returns the same response for a day.',
          example: { reason: 'The Home Office inspects the checks of 2027.' },
          refusals: ['reauthentication_required', 'status_transition_invalid'],
          showsSecrets: true,
        },
      ),
    },
  },
  daybreak({
    nextOn: (record) => {
      const { status, until } = record as RetentionHoldRecord;
      return status === 'held' ? addDays(until, 1) : null;
    },
    decide: (record, { nowSeconds }) => expire(record as RetentionHoldRecord, nowSeconds),
  }),
  sealsPersons({ link: 'customer', files: 'files' }),
);

/** `POST /v1/retention_holds/{id}/reveal`: shows the sealed data once. */
function reveal(current: RetentionHoldRecord, caller: Caller): Change<RetentionHoldRecord> {
  caller.requireConfirmation();
  requireStatus(current, ['held'], 'retention hold', 'Its duty has ended, and its data is gone.');
  const revealed = {
    ...current,
    reveals: current.reveals + 1,
    revealed_at: caller.nowSeconds,
    revealed_to: caller.actorId,
  };
  return { after: Object.assign(revealed, { content: current.sealed }), verbs: ['revealed'] };
}

/** Empties the hold. The parts of its files cannot be decrypted any more, and a duty removes them. */
function expire(current: RetentionHoldRecord, nowSeconds: number): Change<RetentionHoldRecord> {
  const emptied = { sealed: null, file_key: null, revealed_to: null };
  return { after: { ...current, ...emptied, status: 'expired', expired_at: nowSeconds }, verbs: ['expired'] };
}
