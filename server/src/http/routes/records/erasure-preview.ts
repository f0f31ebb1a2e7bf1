import { Type } from 'typebox';
import { FairQueue } from '../../../core/limits/fair-queue.ts';
import { CalendarDate, LinkedId } from '../../../model/schemas/fields.ts';
import type { Resource } from '../../../model/resource.ts';
import { closedObject, described, named } from '../../../model/schemas/make.ts';
import { sealsPersons } from '../../../model/traits/seals-persons.ts';
import type { HttpContext } from '../../context.ts';
import type { ReadRoute } from '../../route.ts';
import { resourceAt } from '../../write/decisions.ts';
import { readPreventing, readRetention } from '../../write/person-erasure.ts';
import { loadPresent } from './load-record.ts';

const Records = Type.Array(
  named(
    'ErasedRecords',
    'Records of one kind that an erasure reaches.',
    closedObject({
      object: Type.String({ description: 'The kind of the records, such as `reference`.' }),
      number: Type.Integer({ minimum: 1, description: 'The number of the records.' }),
    }),
  ),
);

/** Returns `GET /v1/customers/{id}/erasure`: what the deletion of the customer would do now. */
export function erasurePreviewRoute(context: HttpContext): ReadRoute {
  const persons = resourceAt(context, 'customers');
  // A person can have a long history. Previews of several persons would take the connections of all other reads.
  const previews = new FairQueue(1);
  const schema = closedObject({
    object: Type.Literal('erasure_preview', { description: 'The kind of the object.' }),
    customer: described(LinkedId, 'The id of the customer.'),
    prevented_by: Type.Array(
      named(
        'ErasureObstacle',
        'A record that prevents an erasure.',
        closedObject({
          record: described(LinkedId, 'The id of the record.'),
          reason: Type.String({ description: 'Why it needs the data, and what to do first.' }),
        }),
      ),
      { description: 'The records that prevent the erasure. If there are none, the customer can be deleted.' },
    ),
    erased: described(
      Records,
      'The records and files that go: references and bank lines lose the person, and files are deleted.',
    ),
    emptied: described(Records, 'The records that stay, and lose their texts about the person.'),
    holds: Type.Array(
      named(
        'ErasureHold',
        'What a legal duty keeps after an erasure.',
        closedObject({
          kind: described(fieldOfHolds(context.resources, 'kind').schema, 'The duty.'),
          basis: Type.String({ description: 'The law that requires it.' }),
          until: described(CalendarDate, 'The last day on which the data is kept.'),
          files: Type.Array(Type.String(), { description: 'The ids of the files that are sealed with it.' }),
        }),
      ),
      { description: 'What is kept in retention holds, and until when.' },
    ),
    account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
  });
  return {
    method: 'GET',
    operationId: 'customers_retrieve_erasure',
    docs: {
      summary: 'Preview the erasure of a customer',
      description:
        'Returns what `DELETE /v1/customers/{id}` would do now. The response lists what it would delete, what the law requires you to keep, and what prevents the erasure. It changes nothing.',
    },
    response: {
      kind: 'object',
      name: 'ErasurePreview',
      schema,
      example: {
        object: 'erasure_preview',
        customer: 'cus_0VbZq9aK01pR7dWqN2tLy8',
        prevented_by: [],
        erased: [
          { object: 'reference', number: 1 },
          { object: 'file', number: 2 },
        ],
        emptied: [
          { object: 'tenancy', number: 1 },
          { object: 'deposit', number: 1 },
          { object: 'payment', number: 4 },
        ],
        holds: [
          {
            kind: 'right_to_rent',
            basis: 'Immigration Act 2014, s22 to s24',
            until: '2028-05-01',
            files: ['file_0VbZq9aK01pR7dWqN2tLy8'],
          },
        ],
      },
    },
    path: '/v1/customers/:id/erasure',
    permission: 'customers.read',
    // It names their states and balances.
    alsoNeeds: ['tenancies.read', 'deposits.read', 'guarantors.read'],
    object: 'erasure_preview',
    expandable: null,
    query: {},
    async read(request) {
      const { accountId, hasServiceContext } = request;
      const { person, preventing, kept, reached } = await previews.run(request.payer, request.memory!, async () => {
        // Another request may have erased the person during the wait.
        const loaded = await loadPresent(context, persons, request);
        const [found, retention, preview] = await Promise.all([
          readPreventing(context, persons, accountId, loaded),
          readRetention(context, persons, request, loaded),
          context.eraser.preview(persons, loaded),
        ]);
        return { person: loaded, preventing: found, kept: retention.kept, reached: preview };
      });
      return {
        object: 'erasure_preview',
        customer: person.id,
        prevented_by: preventing.map(({ record, reason }) => ({ record, reason })),
        ...reached,
        holds: kept.map(({ kind, basis, until, files }) => ({ kind, basis, until, files: files.map(({ id }) => id) })),
        ...(hasServiceContext && { account: accountId }),
      };
    },
  };
}

function fieldOfHolds(resources: readonly Resource[], name: string) {
  const field = resources.find((resource) => sealsPersons.has(resource))?.fields[name];
  if (!field) throw new Error(`Bug! No kind of record has the field \`${name}\` of a hold.`);
  return field;
}
