import { Type, type TObject } from 'typebox';
import type { JsonObject } from '../../core/json-diff.ts';
import { closedObject, described, nullable } from '../../model/schemas/make.ts';
import { application } from '../../resources/letting/application/index.ts';
import { Note, type ApplicationRecord } from '../../resources/letting/application/fields.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import type { ReadRoute, WriteRoute } from '../route.ts';
import { idInPath } from '../routes/records/load-record.ts';
import { listOfPerson, paging } from './lists.ts';
import { loadApplication, readPerson, viewerOf } from './own-records.ts';
import { applicationObject, pageOf } from './objects.ts';
import { read, write, type PortalOperation, decideMove } from './route.ts';
import { applicationView, readOwnFacts } from './views.ts';

/** Returns the routes about the applications of the person. */
export function routesOfApplications(context: HttpContext): (ReadRoute | WriteRoute)[] {
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

async function renderApplication(
  context: HttpContext,
  request: ApiRequest,
  record: ApplicationRecord,
): Promise<JsonObject> {
  const facts = await readOwnFacts(context, request, await readPerson(context, request));
  return applicationView(context, viewerOf(request), record, facts);
}
