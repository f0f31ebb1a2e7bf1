import { Type, type Static } from 'typebox';
import { invalidParameter } from '../core/errors.ts';
import { retentionBases, retentionsOn, type Jurisdiction } from '../law/index.ts';
import { CalendarDate, LinkedId, SingleLine } from '../model/schemas/fields.ts';
import type { Caller } from '../model/callers/caller.ts';
import { isErased } from '../model/change.ts';
import { createFromFields, updateFromFields } from '../model/inputs.ts';
import type { Fields, RecordOf, StoredRecord } from '../model/record.ts';
import type { Related } from '../model/related.ts';
import { defineResource, type Change } from '../model/resource.ts';
import { inUse, recordInUse, type Preventing } from '../model/traits/in-use.ts';
import { retained, type Retained, type RetentionContext } from '../model/traits/retained.ts';
import { searchable } from '../model/traits/searchable.ts';
import { sumsUp } from '../model/traits/sums-up.ts';
import { closedObject, described, named, nullable, oneOf } from '../model/schemas/make.ts';

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

const hiddenIds = {
  column: 'text[]' as const,
  schema: Type.Array(Type.String()),
  shown: 'never' as const,
  initial: [] as string[],
};

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
  /** The tenancies that hold a home for the person. */
  live_tenancies: hiddenIds,
  /** The tenancies of the person, drafts too. Each can come to have a balance or a deposit. */
  tenancies: hiddenIds,
  /** The applications of the person that have had a holding deposit. */
  applications: hiddenIds,
  /** The deposits that the person pays, until they are settled. */
  deposits: hiddenIds,
  /** The guarantors that are this person, while the guarantee stands. */
  guarantees: hiddenIds,
  /** The open checks of the person that services make. */
  checks: hiddenIds,
  /** The files that go with the erased person. */
  erased_files: hiddenIds,
} satisfies Fields;

export type CustomerRecord = RecordOf<typeof fields>;

/** The records that can keep the person from being erased. */
const readsOfDuties = [
  'tenancies.deposit',
  'applications.holding_deposits',
  'deposits',
  'guarantees.tenancy.deposit',
  'guarantees.application.holding_deposits',
];

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
    hiddenLinks: {
      tenancies: 'tenancies',
      applications: 'applications',
      deposits: 'deposits',
      guarantees: 'guarantors',
    },
    delete: 'erases',
  },
  searchable({
    members: [
      'name',
      'email',
      'phone',
      'addresses.line1',
      'addresses.line2',
      'addresses.city',
      'addresses.postal_code',
      'metadata',
    ],
    title: ({ name }: CustomerRecord) => name,
    subtitle: ({ email, phone }: CustomerRecord) => email ?? phone,
  }),
  sumsUp([
    { of: 'tenancies', link: 'customers', adapt: adaptToTenancy },
    { of: 'applications', link: 'id', find: findByApplication, adapt: adaptToApplication },
    { of: 'deposits', link: 'payer', adapt: adaptToDeposit },
    { of: 'guarantors', link: 'customer', adapt: adaptToGuarantor },
    { of: 'references', link: 'customer', find: findByReference, adapt: adaptToReference },
  ]),
  inUse({ reads: readsOfDuties, check: requireNoDuties, preventing: (_, related) => dutiesOf(related) }),
  retained({
    reads: ['right_to_rent.files', 'tenancies.agreement', 'tenancies.deposit.certificate'],
    latest: {
      of: 'ledger',
      link: 'tenancy',
      column: 'date',
      ids: (related) => ruledByLaw(related).map(({ id }) => id),
    },
    decide: (person, related, context) => retainedOf(person as CustomerRecord, related, context),
    filesColumn: 'erased_files',
    filesOf: (person) => (person as CustomerRecord).right_to_rent?.files ?? [],
  }),
);

/*
 * A person cannot be erased while a duty needs the data. A duty is a tenancy that holds a home or has a balance, or a deposit that is held. A
 * customer only lists the records that may come to be a duty, and the deletion reads these as guards. A payment at the same moment changes a
 * guard, and a new record changes the list. Either way, the deletion is decided again.
 */

type Adapt = (
  current: CustomerRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
) => Change<CustomerRecord>;
type List = 'live_tenancies' | 'tenancies' | 'applications' | 'deposits' | 'guarantees' | 'checks';

/** Returns the customer with a list that has the id, or has it not. */
function listing(current: CustomerRecord, list: List, id: string, isListed: boolean): CustomerRecord {
  const known = current[list];
  if (isListed === known.includes(id)) return current;
  return { ...current, [list]: isListed ? [...known, id] : known.filter((other) => other !== id) };
}

type TenancyOfPerson = StoredRecord & {
  status: string;
  customers: string[];
  balance: number;
  deposit: string | null;
  end_date: string | null;
  jurisdiction: Jurisdiction | null;
};
type ApplicationOfPerson = StoredRecord & { customers: string[]; holding_deposits: string[] };
type GuarantorOfPerson = StoredRecord & { application: string; tenancy: string | null; status: string };
type DepositOfPerson = StoredRecord & {
  status: string;
  amount_received: number;
  amount_applied: number;
  amount_deducted: number;
  amount_returned: number;
};

function adaptToTenancy(...[current, before, after]: Parameters<Adapt>): ReturnType<Adapt> {
  const { id } = (after ?? before)!;
  const listed = listing(current, 'tenancies', id, after !== null);
  return { after: listing(listed, 'live_tenancies', id, after !== null && isLive(after as TenancyOfPerson)) };
}

function isLive({ status }: TenancyOfPerson): boolean {
  return ['signed', 'active', 'notice'].includes(status);
}

/** Finds the applicants of an application with holding deposits. Most have none, so their writes read no customers. */
async function findByApplication(application: StoredRecord): Promise<readonly string[]> {
  const { customers, holding_deposits: deposits } = application as ApplicationOfPerson;
  return deposits.length === 0 ? [] : customers;
}

function adaptToApplication(...[current, before, after]: Parameters<Adapt>): ReturnType<Adapt> {
  return { after: listing(current, 'applications', (after ?? before)!.id, after !== null) };
}

function adaptToDeposit(...[current, , after]: Parameters<Adapt>): ReturnType<Adapt> {
  const { id, status } = after as DepositOfPerson;
  return { after: listing(current, 'deposits', id, status !== 'settled' && status !== 'canceled') };
}

function adaptToGuarantor(...[current, before, after]: Parameters<Adapt>): ReturnType<Adapt> {
  const stands = (after as GuarantorOfPerson | null)?.status === 'agreed';
  return { after: listing(current, 'guarantees', (after ?? before)!.id, stands) };
}

type ReferenceOfPerson = StoredRecord & {
  customer: string | null;
  status: string;
  automatic_reference: { enabled: boolean } | null;
};

/** Finds the person of an open check by a service. The writes of all other checks read no customers. */
async function findByReference(reference: StoredRecord): Promise<readonly string[]> {
  const { customer: id, status, automatic_reference: automatic } = reference as ReferenceOfPerson;
  const isOpen = status === 'pending' || status === 'processing';
  return id !== null && isOpen && automatic?.enabled ? [id] : [];
}

function adaptToReference(...[current, before, after]: Parameters<Adapt>): ReturnType<Adapt> {
  if (isErased(current)) return { after: current };
  return { after: listing(current, 'checks', (after ?? before)!.id, after !== null) };
}

/** A refusal names at most this many duties. */
const namedDutiesMax = 10;

/** Returns the records that need the data of the person, each with what to do first. */
function dutiesOf(related: Related): Preventing[] {
  const own = related.all<TenancyOfPerson>('tenancies');
  const deposits = ['tenancies.deposit', 'applications.holding_deposits', 'deposits'].flatMap((path) =>
    related.all<DepositOfPerson>(path),
  );
  const held = [...new Map(deposits.map((deposit) => [deposit.id, deposit])).values()].filter(isHeld);
  return [
    ...own
      .filter(isLive)
      .map(({ id }) => ({ record: id, reason: `It is a tenant of ${id}: end or cancel this tenancy first.` })),
    ...own
      .filter(({ balance }) => balance !== 0)
      .map(({ id, balance }) => ({
        record: id,
        reason: `The balance of ${id} is ${balance}: ${settling(balance)} first.`,
      })),
    ...held.map((deposit) => ({
      record: deposit.id,
      reason: `The deposit ${deposit.id} holds ${heldOf(deposit)}: return, apply or release it first.`,
    })),
    ...standingGuarantees(related).map(({ id, tenancy, application }) => ({
      record: id,
      reason: `It is the guarantor ${id} of ${tenancy ?? application}: release the guarantor first.`,
    })),
  ];
}

/** @throws {ApiError} `record_in_use` while a duty needs the data of the person. */
function requireNoDuties(person: CustomerRecord, related: Related): void {
  const duties = dutiesOf(related).map(({ reason }) => reason);
  if (duties.length === 0) return;
  const others = duties.length - namedDutiesMax;
  const rest = others > 0 ? ` ${others} more duties follow.` : '';
  throw recordInUse(
    `The customer ${person.id} cannot be erased, because these records need the data. ${duties.slice(0, namedDutiesMax).join(' ')}${rest}`,
  );
}

function settling(balance: number): string {
  return balance > 0 ? 'record the payments, or credit the invoices,' : 'refund the payments';
}

/** Returns the guarantees that still matter: the tenancy holds a home or has a balance, or a deposit is held. */
function standingGuarantees(related: Related): GuarantorOfPerson[] {
  const byId = <R extends StoredRecord>(path: string) =>
    new Map(related.all<R>(path).map((record) => [record.id as string, record]));
  const tenancies = byId<TenancyOfPerson>('guarantees.tenancy');
  const applications = byId<ApplicationOfPerson>('guarantees.application');
  const held = new Map(
    ['guarantees.tenancy.deposit', 'guarantees.application.holding_deposits'].flatMap((path) => [
      ...byId<DepositOfPerson>(path),
    ]),
  );
  const holds = (deposit: string | null): boolean =>
    deposit !== null && held.has(deposit) && isHeld(held.get(deposit)!);
  return related.all<GuarantorOfPerson>('guarantees').filter(({ tenancy: tenancyId, application }) => {
    const tenancy = tenancyId === null ? undefined : tenancies.get(tenancyId);
    if (tenancy && (isLive(tenancy) || tenancy.balance !== 0 || holds(tenancy.deposit))) return true;
    return applications.get(application)?.holding_deposits.some(holds) === true;
  });
}

function isHeld(deposit: DepositOfPerson): boolean {
  return heldOf(deposit) > 0;
}

function heldOf(deposit: DepositOfPerson): number {
  return deposit.amount_received - deposit.amount_applied - deposit.amount_deducted - deposit.amount_returned;
}

/** Returns the tenancies that some law rules. */
function ruledByLaw(related: Related): TenancyOfPerson[] {
  return related.all<TenancyOfPerson>('tenancies').filter(({ jurisdiction }) => jurisdiction !== 'none');
}

/** Returns what legal duties keep of an erased person: data, and copies of files. */
function retainedOf(
  person: CustomerRecord,
  related: Related,
  { today, account, latestOn }: RetentionContext,
): Retained[] {
  const tenancies = ruledByLaw(related);
  const ended = tenancies.flatMap(({ status, jurisdiction, end_date: endedOn }) =>
    status === 'ended' && endedOn !== null ? [{ jurisdiction, ended_on: endedOn }] : [],
  );
  const { right_to_rent: checked, name, addresses } = person;
  const duties = retentionsOn(today, {
    ruleset: account.rules.ruleset,
    tenancies: ended,
    last_entry_on: latestOn,
    year_end: account.year_end,
  });
  const sealedFiles = (paths: string[]): StoredRecord[] => [
    ...new Map(paths.flatMap((path) => related.all(path)).map((file) => [file.id, file])).values(),
  ];
  return duties.flatMap(({ kind, until }): Retained[] => {
    const common = { kind, basis: retentionBases[kind], until };
    const ids = tenancies.map(({ id }) => id);
    if (kind === 'accounts') {
      const content = { name, address: lastAddress(addresses), right_to_rent: null, tenancies: ids };
      return [{ ...common, content, files: sealedFiles(['tenancies.agreement', 'tenancies.deposit.certificate']) }];
    }
    if (!checked) return [];
    const { files: _, ...check } = checked;
    const content = { name: null, address: null, right_to_rent: check, tenancies: ids };
    return [{ ...common, content, files: sealedFiles(['right_to_rent.files']) }];
  });
}

/** Returns the present address, or else the one that was left last. */
function lastAddress(addresses: CustomerRecord['addresses']): Static<typeof Address> | null {
  const present = addresses.find(({ to }) => to === null);
  const left = addresses.toSorted((one, other) => (one.to! < other.to! ? 1 : -1));
  return present ?? left[0] ?? null;
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
