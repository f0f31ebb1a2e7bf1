import { Type, type TObject, type TSchema } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import type { Caller } from '../../model/caller.ts';
import { toDecision } from '../../model/change.ts';
import { CalendarDate, LinkedId } from '../../model/fields.ts';
import type { PortalFeature } from '../../model/portal.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Action, Resource } from '../../model/resource.ts';
import { closedObject, described, nullable, oneOf } from '../../model/schemas.ts';
import { storesFile } from '../../model/traits/stores-file.ts';
import { customer, type CustomerRecord } from '../../resources/customer.ts';
import { file, filesOfPersonMax, type FileRecord } from '../../resources/file/index.ts';
import { application } from '../../resources/letting/application/index.ts';
import { Note, type ApplicationRecord } from '../../resources/letting/application/fields.ts';
import { deposit } from '../../resources/letting/deposit/index.ts';
import { invoice } from '../../resources/letting/invoice/index.ts';
import { ledgerEntry } from '../../resources/letting/ledger-entry.ts';
import { payment } from '../../resources/letting/payment/index.ts';
import { petRequestsMax } from '../../resources/letting/tenancy/fields.ts';
import { tenancy, type TenancyRecord } from '../../resources/letting/tenancy/index.ts';
import { ended, portalSession } from '../../resources/portal-session.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import type { GuardedDecision, ReadRoute, WriteRoute } from '../route.ts';
import { idInPath } from '../routes/load.ts';
import { decideActionOn, decideCreation, decideUpdateOf } from '../write/decisions.ts';
import { countFiles, findDeposits, findPayments } from './find.ts';
import { listOfIds, listOfPerson, listWith, pageQueryOf, withoutDrafts } from './lists.ts';
import { meView } from './me.ts';
import { loadApplication, loadTenancy, readPerson, requireOpen, viewerOf, type Viewer } from './own-records.ts';
import {
  applicationObject,
  customerObject,
  depositObject,
  endObject,
  fileObject,
  invoiceObject,
  ledgerEntryObject,
  pageOf,
  paymentObject,
  tenancyObject,
} from './objects.ts';
import { read, write, type PortalOperation } from './route.ts';
import {
  applicationView,
  depositView,
  fileView,
  invoiceView,
  ledgerEntryView,
  paymentView,
  readOwnFacts,
  tenancyView,
} from './views.ts';

/** The purposes that a person's files can have. The others are the office's. */
const Purpose = described(
  oneOf('identity_document', 'income_evidence', 'right_to_rent', 'other'),
  'What the file is evidence of.',
);

/** What a person can change about themselves. The schemas are those of an update by the office. */
const ContactDetails = closedObject(
  Object.fromEntries(
    ['phone', 'date_of_birth', 'addresses'].map((name) => [
      name,
      Type.Optional(described(customer.update!.body.properties[name]!, customer.fields[name]!.description!)),
    ]),
  ) as Record<string, TSchema>,
);

const paging: Record<string, TSchema> = {
  limit: Type.Integer({ minimum: 1, maximum: 50 }),
  starting_after: Type.String({ minLength: 1, maxLength: 255 }),
};
const pagingOfTenancy = { ...paging, tenancy: LinkedId };

/**
 * Returns the routes of the portal. A record of another person does not exist for them. They take the same path as all requests, and need
 * features of the session instead of permissions.
 */
export function portalRoutes(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    ...routesOfPerson(context),
    ...routesOfFiles(context),
    ...routesOfApplications(context),
    ...routesOfTenancies(context),
    ...routesOfMoney(context),
  ];
}

function routesOfPerson(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    read(
      context,
      {
        name: 'me_retrieve',
        path: '/me',
        features: [],
        docs: { summary: 'Retrieve the person' },
        response: customerObject,
      },
      {},
      async (reading, request) => meView(reading, request, await readPerson(reading, request)),
    ),
    write(
      {
        name: 'me_update',
        path: '/me',
        features: ['details'],
        docs: { summary: 'Update the contact details', example: { phone: '+44 1904 555 0123' } },
        response: customerObject,
      },
      ContactDetails,
      {
        locks: (request) => [viewerOf(request).customerId],
        decide: async (request, input, caller, deciding) =>
          decideUpdateOf(deciding, customer, await readPerson(deciding, request), request, input, caller),
        render: (request, record, deciding) => meView(deciding, request, record as CustomerRecord),
      },
    ),
    write(
      {
        name: 'end',
        path: '/end',
        features: [],
        docs: { summary: 'End the session', description: 'Signs the person out. The token has no use any more.' },
        response: endObject,
      },
      closedObject({}),
      {
        locks: (request) => [request.principal.id],
        async decide(request, _, { realSeconds }, deciding) {
          const session = await requireOpen(deciding, request);
          return toDecision(portalSession, session, ended(session, realSeconds));
        },
        render: async (_, { id }) => ({ object: 'portal_access', id, ended: true }),
      },
    ),
  ];
}

function routesOfFiles(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    read(
      context,
      {
        name: 'files_list',
        path: '/files',
        features: ['documents'],
        docs: { summary: 'List the files that the person has sent' },
        response: pageOf(fileObject),
      },
      paging,
      (reading, request, query) => listOfPerson(reading, request, file, query, async (record) => fileView(record)),
    ),
    write(
      {
        name: 'files_create',
        path: '/files',
        features: ['documents'],
        docs: {
          summary: 'Send a file',
          example: { purpose: 'identity_document', file: 'passport.jpg' },
          description: `Takes a PDF, a JPEG or a PNG, at most ${filesOfPersonMax} of a person. The office sees it.`,
          refusals: [...(file.create!.refusals ?? []), 'limit_reached'],
        },
        response: fileObject,
      },
      closedObject({ purpose: Purpose, file: file.create!.body.properties.file! }),
      {
        locks: (request) => [viewerOf(request).customerId],
        async decide(request, input, caller, deciding) {
          const viewer = viewerOf(request);
          if ((await countFiles(deciding.reader, viewer)) >= filesOfPersonMax)
            throw new ApiError(
              'limit_reached',
              `You have sent ${filesOfPersonMax} files, the most that this page takes. Ask your letting agent how to send more.`,
            );
          const { changes, ...rest } = await decideCreation(deciding, file, request, input, caller);
          const [made, ...others] = changes;
          if (!made.after || made.before) throw new Error('Bug! The creation of a file made none.');
          return { ...rest, changes: [{ ...made, after: { ...made.after, customer: viewer.customerId } }, ...others] };
        },
        render: async (_, record) => fileView(record as FileRecord),
        upload: { contents: storesFile.of(file)!, prefix: file.prefix },
      },
    ),
  ];
}

function routesOfApplications(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    read(
      context,
      {
        name: 'applications_list',
        path: '/applications',
        features: ['applications'],
        docs: { summary: 'List the applications of the person' },
        response: pageOf(applicationObject),
      },
      paging,
      async (reading, request, query) => {
        const facts = await readOwnFacts(reading, request, await readPerson(reading, request));
        return listOfPerson(reading, request, application, query, (record) =>
          applicationView(reading, viewerOf(request), record, facts),
        );
      },
    ),
    moveApplication('withdraw', { summary: 'Withdraw an application' }, closedObject({})),
    moveApplication(
      'request_review',
      {
        summary: 'Ask a person to review a rejection',
        example: { message: 'My income has changed.' },
      },
      closedObject({ message: Type.Optional(described(nullable(Note), 'What you say about the decision.')) }),
    ),
  ];
}

/** Returns the route of an action on an application of the person. */
function moveApplication(
  name: 'withdraw' | 'request_review',
  docs: PortalOperation['docs'],
  body: TObject,
): WriteRoute {
  return write(
    {
      name: `applications_${name}`,
      path: `/applications/:id/${name}`,
      features: ['applications'],
      docs: { ...docs, refusals: ['status_transition_invalid'] },
      response: applicationObject,
    },
    body,
    {
      locks: (request) => [idInPath(request)],
      decide: async (request, input, caller, deciding) =>
        decideMove(deciding, application, name, await loadApplication(deciding, request), request, input, caller),
      render: async (request, record, deciding) => renderApplication(deciding, request, record as ApplicationRecord),
    },
  );
}

function routesOfTenancies(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    read(
      context,
      {
        name: 'tenancies_list',
        path: '/tenancies',
        features: ['money', 'notice', 'pets'],
        docs: { summary: 'List the tenancies of the person', description: 'They appear from their signature on.' },
        response: pageOf(tenancyObject),
      },
      paging,
      (reading, request, query) =>
        listOfPerson(
          reading,
          request,
          tenancy,
          query,
          (record) => tenancyView(reading, request, record),
          withoutDrafts,
        ),
    ),
    read(
      context,
      {
        name: 'tenancies_ledger',
        path: '/tenancies/:id/ledger',
        features: ['money'],
        docs: {
          summary: 'List the entries of a ledger',
          description: 'The newest first, each with the balance after it.',
        },
        response: pageOf(ledgerEntryObject),
      },
      paging,
      async (reading, request, query) => {
        const { id } = await loadTenancy(reading, request);
        return listWith(
          reading,
          request,
          ledgerEntry,
          query,
          { column: 'tenancy', match: 'exact', value: id },
          async (entry) => ledgerEntryView(entry),
        );
      },
    ),
    moveTenancy(
      'give_notice',
      'notice',
      {
        summary: 'Give notice',
        description:
          'Gives the notice of the tenant, served today. It ends the tenancy for all tenants. `earliest_last_day` of the tenancy tells the earliest end.',
        example: { ends_on: '2027-06-30' },
        refusals: ['check_failed', 'status_transition_invalid'],
      },
      closedObject({ ends_on: described(CalendarDate, 'The day on which the tenancy ends by the notice.') }),
      ({ ends_on: endsOn }, { today }) => ({ by: 'tenant', served_on: today, ends_on: endsOn! }),
    ),
    moveTenancy(
      'request_pet',
      'pets',
      {
        summary: 'Ask to keep a pet',
        description: 'With `number`, answers the question of the office about an earlier request.',
        example: { description: 'One cat, five years old.' },
        refusals: ['status_transition_invalid', 'limit_reached'],
      },
      closedObject({
        description: Type.String({ minLength: 1, maxLength: 500, description: 'Which pet it is, or the answer.' }),
        number: Type.Optional(
          described(
            nullable(Type.Integer({ minimum: 1, maximum: petRequestsMax })),
            'The number of the request with the question. Leave it out for a new request.',
          ),
        ),
      }),
      petRequestOf,
    ),
  ];
}

/** Returns the route of an action on a tenancy of the person. A null input changes nothing. */
function moveTenancy(
  name: 'give_notice' | 'request_pet',
  feature: PortalFeature,
  docs: PortalOperation['docs'],
  body: TObject,
  inputOf: (input: JsonObject, caller: Caller, viewer: Viewer, current: TenancyRecord) => JsonObject | null,
): WriteRoute {
  return write(
    {
      name: `tenancies_${name}`,
      path: `/tenancies/:id/${name}`,
      features: [feature],
      docs,
      response: tenancyObject,
    },
    body,
    {
      locks: (request) => [idInPath(request)],
      async decide(request, sent, caller, deciding) {
        const current = await loadTenancy(deciding, request);
        const input = inputOf(sent, caller, viewerOf(request), current);
        if (!input) return toDecision(tenancy, current, { after: current });
        return decideMove(deciding, tenancy, name, current, request, input, caller);
      },
      render: (request, record, deciding) => tenancyView(deciding, request, record as TenancyRecord),
    },
  );
}

function routesOfMoney(context: HttpContext): (ReadRoute | WriteRoute)[] {
  return [
    read(
      context,
      {
        name: 'invoices_list',
        path: '/invoices',
        features: ['money'],
        docs: {
          summary: 'List the invoices',
          description: 'Those of the tenancies of the person. Drafts are left out.',
        },
        response: pageOf(invoiceObject),
      },
      pagingOfTenancy,
      (reading, request, query) =>
        listOfPerson(reading, request, invoice, query, async (record) => invoiceView(record), withoutDrafts),
    ),
    read(
      context,
      {
        name: 'payments_list',
        path: '/payments',
        features: ['money'],
        docs: {
          summary: 'List the payments',
          description: 'Those that name the person, and those of its tenancies and their deposits.',
        },
        response: pageOf(paymentObject),
      },
      pagingOfTenancy,
      async (reading, request, query) => {
        const viewer = viewerOf(request);
        const page = await findPayments(reading.reader, viewer, pageQueryOf(payment, query));
        return listOfIds(reading, request, payment, page, async (record) => paymentView(viewer, record));
      },
    ),
    read(
      context,
      {
        name: 'deposits_list',
        path: '/deposits',
        features: ['money'],
        docs: {
          summary: 'List the deposits',
          description: 'Those that the person pays, and those of its tenancies and applications.',
        },
        response: pageOf(depositObject),
      },
      pagingOfTenancy,
      async (reading, request, query) => {
        const viewer = viewerOf(request);
        const page = await findDeposits(reading.reader, viewer, pageQueryOf(deposit, query));
        return listOfIds(reading, request, deposit, page, (record) => depositView(reading, viewer, record));
      },
    ),
  ];
}

/**
 * Returns the input of a request for a pet. Null if the same request waits for its answer, as after a second press of the button.
 *
 * @throws {ApiError} `parameter_invalid` for a request of a co-tenant.
 */
function petRequestOf(
  { description, number }: JsonObject,
  _: Caller,
  { customerId }: Viewer,
  { pet_requests: requests }: TenancyRecord,
): JsonObject | null {
  const own = requests.filter(({ customer: asking }) => asking === customerId);
  if (own.some((request) => request.status === 'open' && request.description === description)) return null;
  if (typeof number === 'number' && !own.some((request) => request.number === number))
    throw invalidParameter('number', 'You have no pet request with this number. Leave `number` out for a new request.');
  return { customer: customerId, description: description!, ...(typeof number === 'number' && { number }) };
}

async function renderApplication(
  context: HttpContext,
  request: ApiRequest,
  record: ApplicationRecord,
): Promise<JsonObject> {
  const facts = await readOwnFacts(context, request, await readPerson(context, request));
  return applicationView(context, viewerOf(request), record, facts);
}

function decideMove<R extends StoredRecord>(
  context: HttpContext,
  resource: Resource<R>,
  name: string,
  ...rest: [before: R, request: ApiRequest, input: JsonObject, caller: Caller]
): Promise<GuardedDecision> {
  const action: Action<R> | undefined = resource.actions?.[name];
  if (!action) throw new Error(`Bug! ${resource.object} has no action ${name}.`);
  return decideActionOn(context, resource, action, ...rest);
}
