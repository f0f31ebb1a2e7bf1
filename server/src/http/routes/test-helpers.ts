import { toDecision } from '../../model/change.ts';
import type { Action, Resource } from '../../model/resource.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { testControls, type TestHelper } from '../../model/traits/test-controls.ts';
import { decideActionOn } from '../write/decisions.ts';
import { idInPath, load, loadPresent } from './records/load-record.ts';
import type { WriteRoute } from '../route.ts';
import type { HttpContext } from '../context.ts';

/** Returns the test helpers of a sandbox, which trigger actions of simulated services. Live mode has no such routes. */
export function testHelperRoutes(context: HttpContext): WriteRoute[] {
  if (!context.sandboxClock) return [];
  return context.resources.flatMap((resource) =>
    Object.entries(testControls.of(resource) ?? {}).map(([name, helper]) =>
      testHelperRoute(context, resource, name, helper),
    ),
  );
}

/** Returns the route of a helper: of a simulated service, or of a decision in the place of a person. */
function testHelperRoute(context: HttpContext, resource: Resource, name: string, helper: TestHelper): WriteRoute {
  const { body = helper.action?.body ?? closedObject({}), action, ...docs } = helper;
  const route: Omit<WriteRoute, 'locks' | 'decide'> = {
    method: 'POST',
    operationId: `test_helpers_${resource.path}_${name}`,
    docs: { ...docs, sensitive: 'never', ...(action?.refusals && { refusals: action.refusals }) },
    response: { kind: 'record', resource, secrets: 'never' },
    path: `/v1/test_helpers/${resource.path}/:id/${name}`,
    permission: `${resource.path}.write`,
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    body,
    upload: null,
    showsSecrets: false,
    secretMembers: [],
    propagationDelayMs: 0,
  };
  return action ? decidesHere(resource, action, route) : actsOutside(context, resource, name, route);
}

/** Completes the route of a helper that decides in the place of a person. */
function decidesHere(resource: Resource, action: Action, route: Omit<WriteRoute, 'locks' | 'decide'>): WriteRoute {
  const [permission = route.permission, ...alsoNeeds] = action.permissions ?? [];
  return {
    ...route,
    permission,
    alsoNeeds,
    requiresSamePrincipal: true,
    locks: (request) => [idInPath(request)],
    async decide(request, input, caller, deciding) {
      const record = await loadPresent(deciding, resource, request);
      return decideActionOn(deciding, resource, action, record, request, input, caller);
    },
  };
}

/** Completes the route of a helper by which a simulated service acts. It acts before the decision, which changes nothing and returns the record. */
function actsOutside(
  context: HttpContext,
  resource: Resource,
  name: string,
  route: Omit<WriteRoute, 'locks' | 'decide'>,
): WriteRoute {
  return {
    ...route,
    locks: () => [],
    async beforeCommit(request, input) {
      const simulation = context.simulations[resource.path];
      if (!simulation) throw new Error(`Bug! No simulated service plays ${name} for ${resource.path}.`);
      await simulation.play(await loadPresent(context, resource, request), name, input);
    },
    // The service has acted already, so an erasure since then is no error.
    async decide(request) {
      const record = await load(context, resource, request);
      return toDecision(resource, record, { after: record });
    },
  };
}
