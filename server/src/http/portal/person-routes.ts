import { Type, type TSchema } from 'typebox';
import { toDecision } from '../../model/change.ts';
import { closedObject, described } from '../../model/schemas/make.ts';
import { cached } from '../../model/traits/cached.ts';
import { customer, type CustomerRecord } from '../../resources/customer.ts';
import { ended, portalSession } from '../../resources/portal-session.ts';
import type { HttpContext } from '../context.ts';
import type { ReadRoute, WriteRoute } from '../route.ts';
import { decideUpdateOf, resourceAt } from '../write/decisions.ts';
import { meView } from './me.ts';
import { readPerson, requireOpen, viewerOf } from './own-records.ts';
import { customerObject, endObject } from './objects.ts';
import { read, write } from './route.ts';

/** What a person can change about themselves. The schemas are those of an update by the office. */
const ContactDetails = closedObject(
  Object.fromEntries(
    ['phone', 'date_of_birth', 'addresses'].map((name) => [
      name,
      Type.Optional(described(customer.update!.body.properties[name]!, customer.fields[name]!.description!)),
    ]),
  ) as Record<string, TSchema>,
);

/** Returns the routes about the person and their session. */
export function routesOfPerson(context: HttpContext): (ReadRoute | WriteRoute)[] {
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
        // As for the end by a key.
        propagationDelayMs: cached.of(resourceAt(context, portalSession.path)) ?? 0,
      },
    ),
  ];
}
