import { Type, type TObject, type TProperties, type TSchema } from 'typebox';
import type { JsonObject } from '../../core/json-diff.ts';
import { CalendarDate } from '../../model/schemas/fields.ts';
import { Letterhead } from '../../model/schemas/letterhead.ts';
import type { Field } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { customer } from '../../resources/customer.ts';
import { file } from '../../resources/file/index.ts';
import { application } from '../../resources/letting/application/index.ts';
import { deposit } from '../../resources/letting/deposit/index.ts';
import { guarantor } from '../../resources/letting/guarantor.ts';
import { invoice } from '../../resources/letting/invoice/index.ts';
import { ledgerEntry } from '../../resources/letting/ledger-entry.ts';
import { payment } from '../../resources/letting/payment/index.ts';
import { tenancy } from '../../resources/letting/tenancy/index.ts';
import { portalSession } from '../../resources/portal-session.ts';
import { reference } from '../../resources/reference/index.ts';
import type { RouteResponse } from '../route.ts';

/*
 * The objects that the portal returns, for its OpenAPI document. `views.ts` and `me.ts` make them. A member that a record has too takes its
 * schema and its description from there.
 */

type ObjectResponse = Extract<RouteResponse, { kind: 'object' | 'objects' }>;

/** Returns an object in a response, with its id and the kind of the object first. */
function objectOf(name: string, object: string, members: TProperties, example: JsonObject): ObjectResponse {
  const schema = closedObject({ object: Type.Literal(object, { description: 'The kind of the object.' }), ...members });
  return { kind: 'object', name, schema, example: { object, ...example } };
}

/** Returns the response with a page of such objects. */
export function pageOf(response: ObjectResponse): ObjectResponse {
  return { ...response, kind: 'objects' };
}

const Seconds = Type.Integer({ description: 'In seconds since the Unix epoch.' });
const Id = Type.String();

/** Returns the id, the time of creation and these fields of a record, as the API has them. */
function shownOf(resource: Resource, ...names: string[]): TProperties {
  return { ...idOf(resource), ...fieldsOf(resource, ...names) };
}

function idOf({ object }: Resource): TProperties {
  return {
    id: described(Id, `The id of the ${object.replaceAll('_', ' ')}.`),
    created: described(Seconds, 'When it was created, in seconds since the Unix epoch.'),
  };
}

function fieldsOf({ fields }: Resource, ...names: string[]): TProperties {
  return Object.fromEntries(
    names.map((name) => {
      const { schema, description }: Field = fields[name]!;
      return [name, description === undefined ? schema : described(schema, description)];
    }),
  );
}

/** Returns these members of an object, or of null. */
function partOf(schema: TSchema, ...names: string[]): TProperties {
  const { properties } = schema as unknown as TObject;
  return Object.fromEntries(names.map((name) => [name, properties[name]!]));
}

function schemaOf(resource: Resource, field: string): TSchema {
  return resource.fields[field]!.schema;
}

/** Returns the schema of the items of a field with a list. */
function itemOf(resource: Resource, field: string): TSchema {
  return (schemaOf(resource, field) as unknown as { items: TSchema }).items;
}

/** Returns the members of the example of a record. */
function exampleOf({ docs }: Resource, ...names: string[]): JsonObject {
  const record = docs?.example?.record ?? {};
  return { id: 'ten_0VbZq9aK00mT3cUuP8sXw4', created: 1795320000, ...pick(record, names) };
}

function pick(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, record[name]!]));
}

const line = Type.String();
const Address = named(
  'PortalAddress',
  'A postal address.',
  closedObject({
    line1: described(line, 'House and street.'),
    line2: described(nullable(line), 'The second line. Null if there is none.'),
    city: described(line, 'Town or city.'),
    postal_code: described(line, 'The postal code, as it is written in the country.'),
    country: described(line, 'ISO 3166-1 alpha-2, such as `GB`.'),
  }),
);
const Home = named(
  'PortalHome',
  'A home.',
  closedObject({
    name: described(line, 'The name of the unit.'),
    address: described(nullable(Address), 'The address of its building. Null if it is not known.'),
  }),
);
const home = described(nullable(Home), 'The home. Null if your own system keeps it.');

const checkMembers: TProperties = {
  ...shownOf(reference, 'status'),
  outcome: described(
    schemaOf(reference, 'outcome'),
    'The outcome, once the application is decided. Null before, and while there is none.',
  ),
};
const Check = named('PortalCheck', 'A check of the person.', closedObject(checkMembers));

const agentMembers: TProperties = {
  name: described(nullable(line), 'The name of the account.'),
  letterhead_name: described(
    nullable(line),
    'The name in the letterhead of the account. If there is no letterhead, the name of the account.',
  ),
  ...partOf(Letterhead, 'email', 'phone'),
  address: described(nullable(Address), 'The address in its letterhead. Null if there is none.'),
  logo: described(
    nullable(
      closedObject({
        content_type: described(line, 'The type of the picture.'),
        data: described(line, 'Its bytes, in Base64.'),
      }),
    ),
    'The logo. Null if there is none.',
  ),
  brand_color: partOf(Letterhead, 'brand_color').brand_color!,
};
const agentExample: JsonObject = {
  name: 'Northern Homes',
  letterhead_name: 'Northern Homes Ltd',
  email: 'rent@northern.example',
  phone: '+44 1904 555 0100',
  address: { line1: '4 Stonegate', line2: null, city: 'York', postal_code: 'YO1 8AS', country: 'GB' },
  logo: null,
  brand_color: '#1d4ed8',
};

const features = fieldsOf(portalSession, 'features', 'return_url');
const featuresExample: JsonObject = { features: ['details', 'applications'], return_url: null };
const sessionId = described(Id, 'The id of the session.');

/** The body of the requests about a link. */
export const LinkTokenBody = closedObject({
  token: Type.String({ maxLength: 100, description: 'The token of the link: what follows `#` in its `url`.' }),
});

/** What a link is for, before it is opened. */
export const linkObject = objectOf(
  'PortalLink',
  'portal_link',
  {
    expires_at: described(Seconds, 'When the link expires, in seconds since the Unix epoch.'),
    account: described(closedObject(agentMembers), 'The agent that made the link.'),
  },
  { expires_at: 1795324027, account: agentExample },
);

/** An opened session. */
export const accessObject = objectOf(
  'PortalAccess',
  'portal_access',
  {
    id: sessionId,
    ...features,
    opened_at: described(Seconds, 'When the link was opened, in seconds since the Unix epoch.'),
    expires_at: described(Seconds, 'When the session ends at the latest, in seconds since the Unix epoch.'),
    session_token: Type.Optional(
      described(line, 'The token of the session. Left out for our own page, which gets a cookie.'),
    ),
  },
  {
    id: 'psn_0VbZq9aK00mT3cUuP8sXw4',
    ...featuresExample,
    opened_at: 1795321044,
    expires_at: 1795349844,
    session_token: 'pst_h3Vd8sKq1ZtYb6Wn4Lr9Mc2Xp7Gf5Ja0',
  },
);

export const endObject = objectOf(
  'PortalAccessEnd',
  'portal_access',
  { id: sessionId, ended: described(Type.Boolean(), 'Whether the session has ended.') },
  { id: 'psn_0VbZq9aK00mT3cUuP8sXw4', ended: true },
);

export const customerObject = objectOf(
  'PortalCustomer',
  'portal_customer',
  {
    id: described(Id, 'The id of the person.'),
    ...fieldsOf(customer, 'name'),
    details: described(
      nullable(closedObject(fieldsOf(customer, 'email', 'phone', 'date_of_birth', 'addresses'))),
      'The contact details. Null without the feature `details`.',
    ),
    guarantees: Type.Array(
      closedObject({
        id: described(Id, 'The id of the guarantee.'),
        ...fieldsOf(guarantor, 'status', 'limit', 'agreed_on', 'released_on'),
      }),
      { description: 'What the person guarantees. Empty without the feature `applications`.' },
    ),
    references: Type.Array(
      closedObject({
        ...checkMembers,
        application: described(nullable(Id), 'The application of the check. Null if it is of other persons.'),
      }),
      { description: 'The checks of the person. Empty without the feature `applications`.' },
    ),
    session: described(
      closedObject({
        id: sessionId,
        ...features,
        opened_at: described(nullable(Seconds), 'When the link was opened, in seconds since the Unix epoch.'),
        expires_at: described(nullable(Seconds), 'When it ends at the latest, in seconds since the Unix epoch.'),
      }),
      'The session.',
    ),
    account: described(
      closedObject({
        ...agentMembers,
        bank: described(
          partOf(Letterhead, 'bank').bank!,
          'The account that tenants pay to. Null if there is none, and without the feature `money`.',
        ),
      }),
      'The agent.',
    ),
    mode: described(oneOf('sandbox', 'live'), 'Whether the data is real.'),
    time_zone: described(line, 'The time zone of the account. Its days begin at midnight there.'),
    today: described(CalendarDate, 'The present day of the account.'),
    now: described(Seconds, 'The present time of the account, in seconds since the Unix epoch.'),
  },
  {
    id: 'cus_0VbZq9aK00mT3cUuP8sXw4',
    name: 'Ada Lovelace',
    details: null,
    guarantees: [],
    references: [],
    session: { id: 'psn_0VbZq9aK00mT3cUuP8sXw4', ...featuresExample, opened_at: 1795321044, expires_at: 1795349844 },
    account: { ...agentExample, bank: null },
    mode: 'sandbox',
    time_zone: 'Europe/London',
    today: '2026-11-22',
    now: 1795321100,
  },
);

const fileNames = ['purpose', 'filename', 'size', 'content_type'];
export const fileObject = objectOf(
  'PortalFile',
  'portal_file',
  shownOf(file, ...fileNames),
  exampleOf(file, ...fileNames),
);

const applicationNames = ['status', 'rent', 'move_in_date', 'tenancy'];
const decision = schemaOf(application, 'decision');
export const applicationObject = objectOf(
  'PortalApplication',
  'portal_application',
  {
    ...shownOf(application, ...applicationNames),
    home,
    co_applicants: Type.Array(line, { description: 'The names of the other applicants.' }),
    has_guarantor: described(Type.Boolean(), 'Whether a guarantor has agreed to pay for this person.'),
    references: Type.Array(Check, { description: 'The checks of the person for this application.' }),
    decision: described(
      nullable(
        closedObject({
          ...partOf(decision, 'outcome', 'automated', 'decided_at'),
          reasons: Type.Array(
            closedObject({
              code: described(line, 'The code of the reason.'),
              text: described(line, 'The reason in a plain sentence.'),
            }),
            { description: 'The reasons of a rejection. Empty for an approval.' },
          ),
        }),
      ),
      'The decision. Null before.',
    ),
    review: described(
      nullable(closedObject(partOf(schemaOf(application, 'review'), 'status', 'requested_at', 'completed_at'))),
      'The review of a rejection. Null if none was requested.',
    ),
    asked: Type.Array(
      closedObject({
        code: described(line, 'What is missing, for programs.'),
        text: described(line, 'What is missing, in plain words.'),
        feature: described(oneOf('details', 'documents'), 'The part of the portal that takes it.'),
      }),
      { description: 'What the person still has to send. Empty once the application is closed.' },
    ),
    actions: Type.Array(oneOf('withdraw', 'request_review'), { description: 'What the person can do now.' }),
  },
  {
    ...exampleOf(application, ...applicationNames),
    home: { name: 'Flat 2', address: null },
    co_applicants: ['Charles Babbage'],
    has_guarantor: false,
    references: [],
    decision: null,
    review: null,
    asked: [{ code: 'phone', text: 'Your phone number', feature: 'details' }],
    actions: ['withdraw'],
  },
);

const tenancyNames = ['status', 'type', 'start_date', 'end_date', 'signed_on', 'rent', 'deposit'];
export const tenancyObject = objectOf(
  'PortalTenancy',
  'portal_tenancy',
  {
    ...shownOf(tenancy, ...tenancyNames),
    home,
    co_tenants: Type.Array(line, { description: 'The names of the other tenants.' }),
    has_guarantor: described(Type.Boolean(), 'Whether a guarantor has agreed to pay for this person.'),
    notice: described(
      nullable(closedObject(partOf(schemaOf(tenancy, 'notice'), 'by', 'served_on', 'ends_on', 'grounds'))),
      'The notice that ends the tenancy. Null if there is none.',
    ),
    earliest_last_day: described(
      nullable(CalendarDate),
      'The earliest last day of a notice that the tenant gives today, unless less is agreed in writing. Null if no rule says, or if the person cannot give notice.',
    ),
    pet_requests: Type.Array(
      closedObject(
        partOf(
          itemOf(tenancy, 'pet_requests'),
          'number',
          'description',
          'requested_on',
          'answer_by',
          'status',
          'reason',
        ),
      ),
      { description: 'The person’s own requests to keep a pet. Empty without the feature `pets`.' },
    ),
    balance: described(
      nullable(Type.Integer()),
      'The debt, or the credit if it is below zero. Null without the feature `money`.',
    ),
    arrears: described(
      nullable(closedObject(partOf(schemaOf(tenancy, 'arrears'), 'amount', 'since'))),
      'The overdue part of the debt. Null without the feature `money`.',
    ),
    actions: Type.Array(oneOf('give_notice', 'request_pet'), { description: 'What the person can do now.' }),
  },
  {
    ...exampleOf(tenancy, ...tenancyNames),
    home: { name: 'Flat 2', address: null },
    co_tenants: [],
    has_guarantor: false,
    notice: null,
    earliest_last_day: '2027-03-31',
    pet_requests: [],
    balance: 0,
    arrears: { amount: 0, since: null },
    actions: ['give_notice', 'request_pet'],
  },
);

const entryNames = ['sequence', 'date', 'type', 'amount', 'balance', 'invoice', 'payment'];
export const ledgerEntryObject = objectOf(
  'PortalLedgerEntry',
  'portal_ledger_entry',
  { id: described(Id, 'The id of the entry.'), ...fieldsOf(ledgerEntry, ...entryNames) },
  { id: 'led_0VbZq9aK00mT3cUuP8sXw4', ...pick(ledgerEntry.docs!.example!.record, entryNames) },
);

const invoiceNames = [
  'tenancy',
  'number',
  'status',
  'due_on',
  'overdue',
  'period',
  'currency',
  'total',
  'amount_paid',
  'amount_credited',
  'amount_due',
  'finalized_at',
  'paid_at',
];
export const invoiceObject = objectOf(
  'PortalInvoice',
  'portal_invoice',
  {
    ...shownOf(invoice, ...invoiceNames),
    lines: Type.Array(closedObject(partOf(itemOf(invoice, 'lines'), 'type', 'description', 'amount', 'period')), {
      description: 'The lines. Their amounts add up to `total`.',
    }),
  },
  {
    ...exampleOf(invoice, ...invoiceNames),
    lines: [
      {
        type: 'rent',
        description: 'Rent, February 2027',
        amount: 95000,
        period: { start: '2027-02-01', end: '2027-02-28' },
      },
    ],
  },
);

const paymentNames = ['tenancy', 'deposit', 'amount', 'currency', 'method', 'status', 'received_on', 'amount_refunded'];
export const paymentObject = objectOf(
  'PortalPayment',
  'portal_payment',
  {
    ...shownOf(payment, ...paymentNames),
    own: described(nullable(Type.Boolean()), 'Whether the person paid it. Null if it names no payer.'),
    reference: described(nullable(line), 'The text of the transfer. Null if there is none, or if another person paid.'),
  },
  { ...exampleOf(payment, ...paymentNames), own: true, reference: 'FLAT 2 FEB' },
);

const depositNames = [
  'type',
  'status',
  'tenancy',
  'application',
  'currency',
  'amount',
  'amount_received',
  'amount_applied',
  'amount_deducted',
  'amount_returned',
  'amount_held',
  'received_on',
  'decide_by',
  'repay_by',
  'protect_by',
  'scheme',
  'scheme_reference',
  'protected_on',
  'information_given_on',
  'returned_on',
];
export const depositObject = objectOf(
  'PortalDeposit',
  'portal_deposit',
  {
    ...shownOf(deposit, ...depositNames),
    home,
    deductions: Type.Array(closedObject(partOf(itemOf(deposit, 'deductions'), 'amount', 'reason', 'description')), {
      description: 'What is taken from it, and why.',
    }),
    own: described(Type.Boolean(), 'Whether the person is its payer.'),
  },
  {
    ...exampleOf(deposit, ...depositNames),
    home: { name: 'Flat 2', address: null },
    deductions: [],
    own: true,
  },
);
