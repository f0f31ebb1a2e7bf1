import { Type } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import { FairRounds } from '../../core/limits/fair-queue.ts';
import { isId } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json-diff.ts';
import { fieldOf } from '../../model/record.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { definitionIn, dryRun } from '../../workflows/rules/dry-run.ts';
import type { HttpContext } from '../context.ts';
import { isHidden } from '../response/hidden-events.ts';
import type { WriteRoute } from '../route.ts';
import { resourceAt } from '../write/decisions.ts';
import { loadPresent } from './records/load-record.ts';

const Step = named(
  'WorkflowTestStep',
  'What a step of a workflow would do.',
  closedObject({
    id: described(Type.String(), 'The id of the step.'),
    item: described(nullable(Type.Integer()), 'The position of its item, from 0. Null without `for_each`.'),
    would: described(
      oneOf('run', 'skip', 'fail', 'unknown'),
      '`unknown`: it names the output of an earlier step, which there is only in a run. Or the requests of the steps before it have a megabyte, and the answer shows no more.',
    ),
    request: described(
      Type.Unsafe<JsonObject | null>({ type: ['object', 'null'] }),
      'What it would send. Null if it would send nothing, or if that is unknown.',
    ),
    error: described(nullable(Type.String()), 'Why it would fail. Null if it would not.'),
  }),
);

/** Returns `POST /v1/workflows/{id}/test`: what a run for an event would do. */
export function workflowTestRoute(context: HttpContext): WriteRoute {
  const workflows = resourceAt(context, 'workflows');
  const events = resourceAt(context, 'events');
  // A test that fills in a megabyte takes 13 ms of the processor.
  const rounds = new FairRounds();
  const schema = closedObject({
    object: Type.Literal('workflow_test', { description: 'The kind of the object.' }),
    workflow: described(Type.String(), 'The id of the workflow.'),
    event: described(Type.String(), 'The id of the event.'),
    matches: described(Type.Boolean(), 'Whether the event would start a run, if the workflow is active.'),
    steps: described(Type.Array(Step), 'What the steps would do. Empty if the event does not match.'),
    account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
  });
  return {
    method: 'POST',
    operationId: 'workflows_test',
    docs: {
      summary: 'Test a workflow',
      description:
        'Returns what the workflow would do for an event of your account: whether the event matches, and what each step would send. Nothing is sent or changed, and the workflow need not be active. The log leaves out what would be sent, so an `Idempotency-Key` replays nothing. Your key also needs `events.read`.',
      example: { event: 'evt_0VbZr1fe01cR5gYkZs3Me7' },
      refusals: ['resource_missing'],
    },
    response: {
      kind: 'object',
      name: 'WorkflowTest',
      schema,
      example: {
        object: 'workflow_test',
        workflow: 'wf_0VbZt1aA00nP4eVrYi7Qd3',
        event: 'evt_0VbZr1fe01cR5gYkZs3Me7',
        matches: true,
        steps: [
          {
            id: 'check',
            item: 0,
            would: 'run',
            request: {
              method: 'POST',
              path: '/v1/references',
              body: { application: 'app_0VbZq9aK00mT3cUuP8sXw4', customer: 'cus_0VbZq9aK00mT3cUuP8sXw4' },
            },
            error: null,
          },
        ],
      },
    },
    path: '/v1/workflows/:id/test',
    permission: 'workflows.write',
    alsoNeeds: ['events.read'],
    object: 'workflow_test',
    expandable: null,
    query: {},
    body: closedObject({
      event: Type.String({ minLength: 1, maxLength: 255, description: 'The id of an event of your account.' }),
    }),
    upload: null,
    showsSecrets: false,
    secretMembers: [],
    propagationDelayMs: 0,
    locks: () => [],
    // The wait holds no room among changes.
    async inTurn(request, execute) {
      await rounds.next(request.payer);
      return execute();
    },
    async decide(request, { event: eventId }, _, deciding) {
      const workflow = await loadPresent(deciding, workflows, request);
      const id = eventId as string;
      const stored = isId(events.prefix, id) ? await deciding.readRecord(events, request.accountId, id) : null;
      if (!stored || isHidden(context, events, stored, request.principal)) {
        const message = `There is no event \`${id.slice(0, 80)}\` in this account. Send an existing id: \`evt_…\`.`;
        throw new ApiError('resource_missing', message, { param: 'event', status: 400 });
      }
      const version = String(fieldOf(workflow, 'api_version'));
      const shown: JsonObject = { id, object: events.object, created: stored.created };
      for (const name of ['type', 'data', 'request']) shown[name] = fieldOf(stored, name) as Json;
      const event = context.versions.convert(shown, String(fieldOf(stored, 'shape_version')), version);
      const { matches, steps } = dryRun(definitionIn(workflow), event);
      const about = { object: 'workflow_test', workflow: workflow.id, event: id, matches };
      const answer = (listed: readonly object[]): JsonObject =>
        ({
          ...about,
          steps: listed,
          ...(request.hasServiceContext && { account: request.accountId }),
        }) as unknown as JsonObject;
      // A template can show a name in any text, where no erasure finds it.
      return { answer: answer(steps), logged: answer(steps.map((step) => ({ ...step, request: null }))) };
    },
  };
}
