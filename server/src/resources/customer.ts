import { Type, type Static } from 'typebox';
import { CalendarDate } from '../core/fields.ts';
import {
  closedObject,
  createFrom,
  defineResource,
  described,
  exactly,
  nullable,
  updateFrom,
  type StoredRecord,
} from '../core/resource.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });
const Email = Type.String({ maxLength: 255, pattern: '^[^\\s@]+@[^\\s@]+$', examples: ['ada@example.org'] });

const addressLines = {
  line1: described(Text, 'House and street.'),
  line2: described(nullable(Text), 'What the first line has no room for; null if nothing.'),
  city: described(Text, 'Town or city.'),
  postal_code: described(Text, 'As it is written in the country.'),
  country: Type.String({ pattern: '^[A-Z]{2}$', examples: ['GB'], description: 'ISO 3166-1 alpha-2, such as `GB`.' }),
  from: described(nullable(CalendarDate), 'The first day there; null if it is not known.'),
  to: described(
    nullable(CalendarDate),
    'The last day there; null if the person lives there still, or it is not known.',
  ),
};
const Address = closedObject(addressLines);
const AddressInput = closedObject({
  ...addressLines,
  line2: Type.Optional(addressLines.line2),
  from: Type.Optional(addressLines.from),
  to: Type.Optional(addressLines.to),
});
const AddressInputs = Type.Array(AddressInput, { maxItems: 50 });

export type CustomerRecord = StoredRecord & {
  name: string;
  email: string | null;
  phone: string | null;
  date_of_birth: string | null;
  addresses: Static<typeof Address>[];
};

const optionalFields = {
  email: Type.Optional(nullable(Email)),
  phone: Type.Optional(nullable(Text)),
  date_of_birth: Type.Optional(nullable(CalendarDate)),
  addresses: Type.Optional(nullable(AddressInputs)),
};

/** A person: an applicant, a tenant, or somebody who may become one. */
export const customer = defineResource<CustomerRecord>({
  object: 'customer',
  prefix: 'cus',
  path: 'customers',
  table: 'customers',
  description: 'A person: an applicant, a tenant, or somebody who may become one.',
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
      metadata: { crm: '88213' },
    },
    before: { phone: null },
  },
  metadata: true,
  fields: {
    name: { column: 'text', schema: Text, description: 'The full name.', erased: () => '[erased]' },
    email: {
      column: 'text',
      schema: nullable(Email),
      description: 'The e-mail address; null if it is not known.',
      erased: () => null,
    },
    phone: {
      column: 'text',
      schema: nullable(Text),
      description: 'The phone number, as it was given; null if it is not known.',
      erased: () => null,
    },
    date_of_birth: {
      column: 'text',
      schema: nullable(CalendarDate),
      description: 'The day of birth; null if it is not known.',
      erased: () => null,
    },
    addresses: {
      column: 'json',
      schema: Type.Array(Address, { maxItems: 50 }),
      description: 'Where the person lives and has lived, in the order given. An update replaces them all.',
      erased: () => [],
    },
  },
  filters: exactly({ email: Email }),
  create: createFrom(
    { name: Text, ...optionalFields },
    (input) => ({
      name: input.name,
      email: input.email ?? null,
      phone: input.phone ?? null,
      date_of_birth: input.date_of_birth ?? null,
      addresses: complete(input.addresses),
    }),
    {
      example: {
        name: 'Ada Lovelace',
        email: 'ada@example.org',
        date_of_birth: '1990-12-10',
        addresses: [
          { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB', from: '2021-04-01' },
        ],
      },
    },
  ),
  update: updateFrom(
    { name: Type.Optional(Text), ...optionalFields },
    (current, input) => ({
      after: {
        ...current,
        name: input.name ?? current.name,
        email: input.email === undefined ? current.email : input.email,
        phone: input.phone === undefined ? current.phone : input.phone,
        date_of_birth: input.date_of_birth === undefined ? current.date_of_birth : input.date_of_birth,
        addresses: input.addresses === undefined ? current.addresses : complete(input.addresses),
      },
    }),
    { example: { phone: '+44 1904 555 0123' } },
  ),
  delete: 'erases',
});

/** Every member of an address is answered, so that a client need not tell an absent one from null. */
function complete(addresses: Static<typeof AddressInputs> | null | undefined): CustomerRecord['addresses'] {
  return (addresses ?? []).map((address) => ({
    ...address,
    line2: address.line2 ?? null,
    from: address.from ?? null,
    to: address.to ?? null,
  }));
}
