import { ApiError, invalidParameter } from '../../core/errors.ts';
import { Type } from 'typebox';
import { CalendarDate, LinkedId, moment } from '../../model/schemas/fields.ts';
import { createFromFields, updateFromFields } from '../../model/inputs.ts';
import type { Fields, FieldsOf, RecordOf, StoredRecord } from '../../model/record.ts';
import type { Related } from '../../model/related.ts';
import { amountMax, CurrencyInput } from '../../model/schemas/money-schema.ts';
import { actionFrom, defineResource, exactly, type Change } from '../../model/resource.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { requireStatus } from '../../model/status.ts';
import { inUse, recordInUse } from '../../model/traits/in-use.ts';
import { personalFiles } from '../../model/traits/personal-files.ts';
import { linksHere } from '../../model/traits/links-here.ts';
import { sumsUp, type ReadByPath } from '../../model/traits/sums-up.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { requireNotFuture } from './days.ts';
import { guarantorBy } from './application/guarantors.ts';
import type { ApplicationRecord } from './application/index.ts';

const GuarantorStatus = named(
  'GuarantorStatus',
  'The state of a guarantor.',
  oneOf('proposed', 'agreed', 'declined', 'released'),
);

const amount = Type.Integer({
  minimum: 0,
  maximum: amountMax,
  description: 'In the smallest unit of the currency: 95000 is 950.00 pounds.',
});
const currency = { pattern: '^[a-z]{3}$', examples: ['gbp'], description: 'The currency (ISO 4217) in lower case.' };
const Money = named('Money', 'An amount of money.', closedObject({ amount, currency: Type.String(currency) }));
const MoneyInput = named('MoneyInput', 'An amount of money.', closedObject({ amount, currency: CurrencyInput }));

const fields = {
  application: {
    column: 'text',
    schema: LinkedId,
    description: 'The id of the application.',
    input: { on: 'create', required: true },
  },
  customer: {
    column: 'text',
    schema: LinkedId,
    description: 'The id of the guarantor’s person: a customer of this API, or of your own system. It is no applicant.',
    input: { on: 'create', required: true },
  },
  guarantees: {
    column: 'text[]',
    schema: nullable(Type.Array(LinkedId, { minItems: 1, maxItems: 50, uniqueItems: true })),
    description: 'The ids of the applicants that the guarantor stands for. Null means all.',
    input: { on: 'both' },
  },
  limit: {
    column: 'json',
    schema: nullable(Money),
    description: 'The most that the guarantor pays. Null if there is no limit.',
    input: { on: 'both', schema: MoneyInput },
  },
  file: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the file with the deed of guarantee. Null if there is none.',
    input: { on: 'both' },
  },
  reference: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the newest reference of this person for this application. Null if there is none.',
    initial: null,
  },
  tenancy: {
    column: 'text',
    schema: nullable(LinkedId),
    description: 'The id of the signed tenancy of the application. Null if there is none.',
    initial: null,
  },
  status: {
    column: 'text',
    schema: GuarantorStatus,
    description: '`proposed` until the guarantor has agreed or declined. `released`: the guarantee has ended.',
    initial: 'proposed',
  },
  agreed_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description: 'The day of the agreement. Null if there is none.',
    initial: null,
  },
  released_on: {
    column: 'date',
    schema: nullable(CalendarDate),
    description: 'The day of the release. Null if there was none.',
    initial: null,
  },
  agreed_at: moment('When `agree` was called', 'Null if it was not.'),
  declined_at: moment('When it declined', 'Null if it did not.'),
  released_at: moment('When `release` was called', 'Null if it was not.'),
} satisfies Fields;

export type GuarantorRecord = RecordOf<typeof fields>;

/** An application lists its guarantors, so their number bounds its size. */
const guarantorsMax = 50;

const ofFields = {
  create: createFromFields<GuarantorRecord>(fields, {
    description:
      'Proposes a guarantor for an application. Then create a reference of the guarantor’s person for the same application.',
    example: { application: 'app_0VbZq9aK00mT3cUuP8sXw4', customer: 'cus_0VbZq9aK01pR7dWqN2tLy8' },
    refusals: ['status_transition_invalid', 'limit_reached'],
  }),
  update: updateFromFields<GuarantorRecord>(fields, {
    description: 'After the proposal, you can only update `file` and `metadata`.',
    example: { file: 'file_7731' },
    refusals: ['status_transition_invalid'],
  }),
};

/** A person that pays if the tenants do not. */
export const guarantor = defineResource<GuarantorRecord>(
  {
    object: 'guarantor',
    prefix: 'gua',
    path: 'guarantors',
    table: 'guarantors',
    docs: {
      description:
        'A person that pays if the tenants do not. A guarantor is referenced like an applicant: create a reference with the same `application` and the guarantor’s `customer`.',
      example: {
        record: {
          application: 'app_0VbZq9aK00mT3cUuP8sXw4',
          customer: 'cus_0VbZq9aK01pR7dWqN2tLy8',
          guarantees: null,
          limit: null,
          file: null,
          reference: null,
          tenancy: null,
          status: 'agreed',
          agreed_on: '2027-01-10',
          released_on: null,
          agreed_at: 1_799_582_400,
          declined_at: null,
          released_at: null,
          metadata: {},
        },
        before: { status: 'proposed', agreed_on: null, agreed_at: null },
      },
    },
    metadata: true,
    fields,
    links: {
      application: 'applications',
      customer: 'customers',
      guarantees: 'customers',
      file: 'files',
      reference: 'references',
      tenancy: 'tenancies',
    },
    filters: exactly({
      application: LinkedId,
      customer: LinkedId,
      tenancy: LinkedId,
      status: GuarantorStatus,
    }),
    counted: ['status'],
    verbs: {
      agreed: 'The guarantor has agreed.',
      declined: 'The guarantor has declined.',
      released: 'The guarantee has ended.',
    },
    create: {
      ...ofFields.create,
      reads: ['application'],
      decide: (input, caller, related) => propose(ofFields.create.decide(input, caller, related), related),
    },
    update: {
      ...ofFields.update,
      reads: ['application'],
      decide(current, input, caller, related) {
        const { after } = ofFields.update.decide(current, input, caller, related);
        if ('guarantees' in input || 'limit' in input)
          requireStatus(current, ['proposed'], 'guarantor', 'Now you can only update `file` and `metadata`.');
        requireApplicants(after, related.one<ApplicationRecord>('application'));
        return { after };
      },
    },
    delete: 'removes',
    actions: {
      agree: actionFrom(
        {
          agreed_on: described(CalendarDate, 'The day of the agreement: today or earlier.'),
          file: Type.Optional(described(nullable(LinkedId), 'The id of the file with the deed of guarantee.')),
        },
        agree,
        {
          summary: 'Record a guarantor’s agreement',
          description: 'The guarantor stands by the application, and by its tenancy.',
          example: { agreed_on: '2027-01-10' },
          refusals: ['status_transition_invalid'],
          reads: ['application'],
        },
      ),
      decline: {
        summary: 'Record that a guarantor declines',
        description: 'The person does not become a guarantor.',
        refusals: ['status_transition_invalid'],
        decide(current, { nowSeconds }) {
          requireStatus(current, ['proposed'], 'guarantor', 'Only a proposed guarantor can decline.');
          return { after: { ...current, status: 'declined', declined_at: nowSeconds }, verbs: ['declined'] };
        },
      },
      release: actionFrom(
        { released_on: described(CalendarDate, 'The day on which the guarantee ended: today or earlier.') },
        release,
        {
          summary: 'Release a guarantor',
          description: 'Ends a guarantee.',
          example: { released_on: '2027-04-30' },
          refusals: ['status_transition_invalid'],
        },
      ),
    },
  },
  personalFiles({ links: ['file'], persons: 'customer' }),
  linksHere(['application']),
  sumsUp([{ of: 'references', link: 'customer', find: findByReference, adapt: adaptToReference }]),
  inUse({
    check({ id, status }: GuarantorRecord) {
      if (status === 'proposed') return;
      throw recordInUse(
        `The guarantor ${id} is ${status}, so it cannot be deleted. Only a proposed one can. Release it: \`release\`.`,
      );
    },
  }),
);

/** Checks a proposal. */
function propose(made: FieldsOf<GuarantorRecord>, related: Related): FieldsOf<GuarantorRecord> {
  const application = related.one<ApplicationRecord>('application')!;
  const { customer } = made;
  if (application.status !== 'open' && application.status !== 'approved')
    throw new ApiError(
      'status_transition_invalid',
      `The application ${application.id} is ${application.status}. Only an open or approved one can get a guarantor.`,
      { param: 'application' },
    );
  if (application.guarantors.length >= guarantorsMax)
    throw new ApiError(
      'limit_reached',
      `The application ${application.id} has ${guarantorsMax} guarantors, the limit. Delete one that is only proposed.`,
      { param: 'application' },
    );
  if (application.customers.includes(customer))
    throw invalidParameter(
      'customer',
      `\`${customer.slice(0, 80)}\` is an applicant of ${application.id}, and cannot guarantee its own rent. Send another person.`,
    );
  if (guarantorBy(application, customer))
    throw invalidParameter(
      'customer',
      `\`${customer.slice(0, 80)}\` is a guarantor of ${application.id} already: ${guarantorBy(application, customer)!.id}.`,
    );
  requireApplicants(made, application);
  return made;
}

/** @throws {ApiError} `parameter_invalid` if the guarantor stands for a person that does not apply. */
function requireApplicants(
  { guarantees }: Pick<GuarantorRecord, 'guarantees'>,
  application: ApplicationRecord | null,
): void {
  const index = guarantees?.findIndex((id) => !application?.customers.includes(id)) ?? -1;
  if (index < 0 || !application) return;
  throw invalidParameter(
    `guarantees[${index}]`,
    `\`${guarantees![index]!.slice(0, 80)}\` is no applicant of ${application.id}. Send ids from its \`customers\`.`,
  );
}

/** `POST /v1/guarantors/{id}/agree`. */
function agree(
  current: GuarantorRecord,
  caller: Caller,
  { agreed_on: agreedOn, file }: { agreed_on: string; file?: string | null },
  related: Related,
): Change<GuarantorRecord> {
  requireStatus(current, ['proposed'], 'guarantor', 'Only a proposed guarantor can agree.');
  requireNotFuture('agreed_on', agreedOn, caller);
  return {
    after: {
      ...current,
      status: 'agreed',
      agreed_on: agreedOn,
      agreed_at: caller.nowSeconds,
      file: file ?? current.file,
      tenancy: related.one<ApplicationRecord>('application')?.tenancy ?? null,
    },
    verbs: ['agreed'],
  };
}

/** `POST /v1/guarantors/{id}/release`. */
function release(
  current: GuarantorRecord,
  caller: Caller,
  { released_on: releasedOn }: { released_on: string },
): Change<GuarantorRecord> {
  requireStatus(current, ['agreed'], 'guarantor', 'Only a guarantor that has agreed can be released.');
  requireNotFuture('released_on', releasedOn, caller);
  if (current.agreed_on !== null && releasedOn < current.agreed_on)
    throw invalidParameter(
      'released_on',
      `\`released_on\` is ${releasedOn}, before the guarantor agreed on ${current.agreed_on}. Send that day or a later one.`,
    );
  return {
    after: { ...current, status: 'released', released_on: releasedOn, released_at: caller.nowSeconds },
    verbs: ['released'],
  };
}

type ReferenceOfGuarantor = StoredRecord & { application: string | null; customer: string | null };

/** Finds the guarantor that a reference is about. */
async function findByReference(reference: StoredRecord, read: ReadByPath): Promise<readonly string[]> {
  const { application: id, customer } = reference as ReferenceOfGuarantor;
  const application = id === null ? null : ((await read('applications', id)) as ApplicationRecord | null);
  const found = application && customer !== null ? guarantorBy(application, customer) : null;
  return found ? [found.id] : [];
}

/** Names the newest reference of the guarantor. Ids of one kind rise with time. */
function adaptToReference(
  current: GuarantorRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
): Change<GuarantorRecord> {
  if (before || !after || (current.reference !== null && current.reference > after.id)) return { after: current };
  return { after: { ...current, reference: after.id } };
}
