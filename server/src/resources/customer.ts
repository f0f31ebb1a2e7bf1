import { Type, type Static } from 'typebox';
import {
  closedObject,
  createFrom,
  defineResource,
  exactly,
  nullable,
  updateFrom,
  type StoredRecord,
} from '../core/resource.ts';

const Text = Type.String({ minLength: 1, maxLength: 500 });
const Email = Type.String({ maxLength: 255, pattern: '^[^\\s@]+@[^\\s@]+$' });
const CalendarDate = Type.String({ format: 'date' });

const Address = closedObject({
  line1: Text,
  line2: Type.Optional(nullable(Text)),
  city: Text,
  postal_code: Text,
  /** ISO 3166-1 alpha-2. */
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  from: Type.Optional(nullable(CalendarDate)),
  to: Type.Optional(nullable(CalendarDate)),
});
const Addresses = Type.Array(Address, { maxItems: 50 });

export type CustomerRecord = StoredRecord & {
  name: string;
  email: string | null;
  phone: string | null;
  date_of_birth: string | null;
  addresses: Required<Static<typeof Address>>[];
};

const optionalFields = {
  email: Type.Optional(nullable(Email)),
  phone: Type.Optional(nullable(Text)),
  date_of_birth: Type.Optional(nullable(CalendarDate)),
  addresses: Type.Optional(nullable(Addresses)),
};

/** A person: an applicant, a tenant, or somebody who may become one. */
export const customer = defineResource<CustomerRecord>({
  object: 'customer',
  prefix: 'cus',
  path: 'customers',
  table: 'customers',
  metadata: true,
  fields: {
    name: { column: 'text', schema: Text, erased: () => '[erased]' },
    email: { column: 'text', schema: nullable(Email), erased: () => null },
    phone: { column: 'text', schema: nullable(Text), erased: () => null },
    date_of_birth: { column: 'text', schema: nullable(CalendarDate), erased: () => null },
    addresses: { column: 'json', schema: Addresses, erased: () => [] },
  },
  filters: exactly({ email: Email }),
  create: createFrom({ name: Text, ...optionalFields }, (input) => ({
    name: input.name,
    email: input.email ?? null,
    phone: input.phone ?? null,
    date_of_birth: input.date_of_birth ?? null,
    addresses: complete(input.addresses),
  })),
  update: updateFrom({ name: Type.Optional(Text), ...optionalFields }, (current, input) => ({
    after: {
      ...current,
      name: input.name ?? current.name,
      email: input.email === undefined ? current.email : input.email,
      phone: input.phone === undefined ? current.phone : input.phone,
      date_of_birth: input.date_of_birth === undefined ? current.date_of_birth : input.date_of_birth,
      addresses: input.addresses === undefined ? current.addresses : complete(input.addresses),
    },
  })),
  delete: 'erases',
});

/** Every member of an address is answered, so that a client need not tell an absent one from null. */
function complete(addresses: Static<typeof Addresses> | null | undefined): CustomerRecord['addresses'] {
  return (addresses ?? []).map((address) => ({
    ...address,
    line2: address.line2 ?? null,
    from: address.from ?? null,
    to: address.to ?? null,
  }));
}
