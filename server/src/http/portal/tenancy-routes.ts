import { Type, type TObject } from 'typebox';
import { invalidParameter } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { toDecision } from '../../model/change.ts';
import { CalendarDate } from '../../model/schemas/fields.ts';
import type { PortalFeature } from '../../model/callers/portal.ts';
import { closedObject, described, nullable } from '../../model/schemas/make.ts';
import { ledgerEntry } from '../../resources/letting/ledger-entry.ts';
import { petRequestsMax } from '../../resources/letting/tenancy/fields.ts';
import { tenancy, type TenancyRecord } from '../../resources/letting/tenancy/index.ts';
import type { HttpContext } from '../context.ts';
import type { ReadRoute, WriteRoute } from '../route.ts';
import { idInPath } from '../routes/records/load-record.ts';
import { listOfPerson, listWith, onlySigned, paging } from './lists.ts';
import { loadTenancy, viewerOf, type Viewer } from './own-records.ts';
import { ledgerEntryObject, pageOf, tenancyObject } from './objects.ts';
import { read, write, type PortalOperation, decideMove } from './route.ts';
import { ledgerEntryView, tenancyView } from './views.ts';

/** Returns the routes about the tenancies of the person: ledgers, notices and pets. */
export function routesOfTenancies(context: HttpContext): (ReadRoute | WriteRoute)[] {
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
        listOfPerson(reading, request, tenancy, query, (record) => tenancyView(reading, request, record), onlySigned),
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
