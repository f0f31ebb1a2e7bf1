import { Type, type Static } from 'typebox';
import { invalidParameter } from '../core/errors.ts';
import { CalendarDate, LinkedId, SingleLine } from '../model/fields.ts';
import type { Caller } from '../model/caller.ts';
import { createFromFields, updateFromFields } from '../model/inputs.ts';
import type { Fields, RecordOf, StoredRecord } from '../model/record.ts';
import { defineResource, type Change } from '../model/resource.ts';
import { inUse, recordInUse } from '../model/traits/in-use.ts';
import { sumsUp } from '../model/traits/sums-up.ts';
import { closedObject, described, named, nullable, oneOf } from '../model/schemas.ts';

/** Stored values may be older than the rules for input. */
const Text = Type.String({ minLength: 1, maxLength: 500 });
const Email = Type.String({ maxLength: 255, pattern: '^[^\\s@]+@[^\\s@]+$', examples: ['ada@example.org'] });
const EmailInput = Type.Unsafe<string>({ ...Email, format: 'email' });

const addressLines = {
  line1: described(Text, 'House and street.'),
  line2: described(nullable(Text), 'The second line. Null if there is none.'),
  city: described(Text, 'Town or city.'),
  postal_code: described(Text, 'The postal code, as it is written in the country.'),
  country: Type.String({ pattern: '^[A-Z]{2}$', examples: ['GB'], description: 'ISO 3166-1 alpha-2, such as `GB`.' }),
  from: described(nullable(CalendarDate), 'The first day there. Null if it is not known.'),
  to: described(
    nullable(CalendarDate),
    'The last day there. Null if the person still lives there, or if it is not known.',
  ),
};
const Address = named('Address', 'An address of a person.', closedObject(addressLines));
const AddressInput = named(
  'AddressInput',
  'An address of a person.',
  closedObject({
    line1: described(SingleLine, 'House and street.'),
    line2: Type.Optional(described(nullable(SingleLine), 'The second line. Null if there is none.')),
    city: described(SingleLine, 'Town or city.'),
    postal_code: described(SingleLine, 'The postal code, as it is written in the country.'),
    country: Type.Unsafe<string>({ ...addressLines.country, format: 'country' }),
    from: Type.Optional(addressLines.from),
    to: Type.Optional(addressLines.to),
  }),
);
const AddressInputs = Type.Array(AddressInput, { maxItems: 50 });

const rightToRent = {
  status: described(oneOf('unlimited', 'time_limited'), 'Whether the right ends on a day.'),
  checked_on: described(CalendarDate, 'The day of the check.'),
  expires_on: described(nullable(CalendarDate), 'The last day of the right. Null if it has none.'),
  files: Type.Array(LinkedId, {
    maxItems: 50,
    uniqueItems: true,
    description: 'The ids of the files with the evidence.',
  }),
};
const RightToRent = named('RightToRent', 'A check of the right to rent in England.', closedObject(rightToRent));
const RightToRentInput = named(
  'RightToRentInput',
  'A check of the right to rent in England.',
  closedObject({
    ...rightToRent,
    expires_on: Type.Optional(rightToRent.expires_on),
    files: Type.Optional(rightToRent.files),
  }),
);

const fields = {
  name: {
    column: 'text',
    schema: Text,
    description: 'The full name.',
    input: { on: 'both', required: true, schema: SingleLine },
    erased: () => '[erased]',
  },
  email: {
    column: 'text',
    schema: nullable(Email),
    description: 'The e-mail address. Null if it is not known.',
    input: { on: 'both', schema: EmailInput },
    erased: () => null,
  },
  phone: {
    column: 'text',
    schema: nullable(Text),
    description: 'The phone number, as you sent it. Null if it is not known.',
    input: { on: 'both', schema: SingleLine },
    erased: () => null,
  },
  date_of_birth: {
    column: 'text',
    schema: nullable(CalendarDate),
    description: 'The day of birth. Null if it is not known.',
    input: { on: 'both', check: possibleBirthday },
    erased: () => null,
  },
  addresses: {
    column: 'json',
    schema: Type.Array(Address, { maxItems: 50 }),
    description:
      'The current and earlier addresses, in the order in which you sent them. An update replaces all of them.',
    input: { on: 'both', schema: AddressInputs, default: [], check: withNulls },
    erased: () => [],
  },
  right_to_rent: {
    column: 'json',
    schema: nullable(RightToRent),
    description: 'The check of the right to rent (Immigration Act 2014, s22). Null if none was recorded.',
    input: { on: 'both', schema: RightToRentInput, check: withDefaults },
    erased: () => null,
  },
  live_tenancies: { column: 'text[]', schema: Type.Array(Type.String()), shown: 'never', initial: [] },
} satisfies Fields;

export type CustomerRecord = RecordOf<typeof fields>;

/** A person: an applicant, a tenant, or a person that may become one. */
export const customer = defineResource<CustomerRecord>(
  {
    object: 'customer',
    prefix: 'cus',
    path: 'customers',
    table: 'customers',
    docs: {
      description: 'A person: an applicant, a tenant, or a person that may become one.',
      example: {
        record: {
          name: 'Ada Lovelace',
          email: 'ada@example.org',
          phone: '+44 1904 555 0123',
          date_of_birth: '1990-12-10',
          addresses: [
            {
              line1: '12 Coppergate',
              line2: null,
              city: 'York',
              postal_code: 'YO1 9NR',
              country: 'GB',
              from: '2021-04-01',
              to: null,
            },
          ],
          right_to_rent: null,
          metadata: { crm: '88213' },
        },
        before: { phone: null },
      },
    },
    metadata: true,
    fields,
    filters: {
      email: {
        column: 'email',
        match: 'caseless',
        schema: described(Email, 'Only customers with this address. Capital and small ASCII letters are equal.'),
      },
    },
    create: createFromFields(fields, {
      example: {
        name: 'Ada Lovelace',
        email: 'ada@example.org',
        date_of_birth: '1990-12-10',
        addresses: [
          { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB', from: '2021-04-01' },
        ],
      },
    }),
    update: updateFromFields(fields, { example: { phone: '+44 1904 555 0123' } }),
    links: { 'right_to_rent.files': 'files' },
    delete: 'erases',
  },
  sumsUp([{ of: 'tenancies', link: 'customers', adapt: adaptToTenancy }]),
  inUse({
    check({ id, live_tenancies: tenancies }: CustomerRecord) {
      if (tenancies.length === 0) return;
      throw recordInUse(
        `The customer ${id} is a tenant of ${tenancies.join(', ')}, so the data must stay. End or cancel ${tenancies.length === 1 ? 'it' : 'them'} first.`,
      );
    },
  }),
);

type TenancyOfCustomer = StoredRecord & { status: string };

/** Notes the tenancies that hold a home, whose tenants cannot be erased. */
function adaptToTenancy(
  current: CustomerRecord,
  _: StoredRecord | null,
  after: StoredRecord | null,
): Change<CustomerRecord> {
  const tenancy = after as TenancyOfCustomer | null;
  if (!tenancy) return { after: current };
  const isLive = ['signed', 'active', 'notice'].includes(tenancy.status);
  if (isLive === current.live_tenancies.includes(tenancy.id)) return { after: current };
  const others = current.live_tenancies.filter((id) => id !== tenancy.id);
  return { after: { ...current, live_tenancies: isLive ? [...others, tenancy.id] : others } };
}

/** Sets absent members to their defaults. */
function withDefaults(sent: Static<typeof RightToRentInput> | null): Static<typeof RightToRent> | null {
  return sent && { ...sent, expires_on: sent.expires_on ?? null, files: sent.files ?? [] };
}

/** Earlier birthdays are typing errors. */
const earliestBirthday = '1900-01-01';

/** The offset of the first time zone in which a new day begins, Kiritimati (UTC+14), in seconds. */
const earliestTimeZoneSeconds = 14 * 3600;

/** @throws {ApiError} `parameter_invalid` for a day that is still in the future everywhere, or is too long ago. */
function possibleBirthday(date: string | null, { nowSeconds }: Caller): string | null {
  if (date === null) return null;
  const latest = new Date((nowSeconds + earliestTimeZoneSeconds) * 1000).toISOString().slice(0, 10);
  if (date >= earliestBirthday && date <= latest) return date;
  throw invalidParameter('date_of_birth', `\`date_of_birth\` must be a day from ${earliestBirthday} to today.`);
}

/** Sets absent members of addresses to null, so that clients need not distinguish the two. */
function withNulls(addresses: Static<typeof AddressInputs>): Static<typeof Address>[] {
  return addresses.map((address, index) => ({
    ...requireDatesInOrder(address, index),
    line2: address.line2 ?? null,
    from: address.from ?? null,
    to: address.to ?? null,
  }));
}

/** @throws {ApiError} `parameter_invalid` for an address whose `to` is before its `from`. */
function requireDatesInOrder<Sent extends Static<typeof AddressInput>>(address: Sent, index: number): Sent {
  const { from, to } = address;
  if (!from || !to || from <= to) return address;
  const param = `addresses[${index}][to]`;
  throw invalidParameter(param, `\`${param}\` is ${to}, which is before \`from\`, ${from}. Swap them, or correct one.`);
}
