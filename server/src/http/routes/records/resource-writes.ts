import type { TObject } from 'typebox';
import { isId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../core/json-diff.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Action, Create, Resource, OperationDocs, Update } from '../../../model/resource.ts';
import { idsAt } from '../../../model/links.ts';
import { closedObject } from '../../../model/schemas/make.ts';
import { rollUpsOf } from '../../../model/roll-ups.ts';
import { decideActionOn, decideCreation, decideUpdateOf, resourceAt } from '../../write/decisions.ts';
import { idInPath, loadPresent } from './load-record.ts';
import { aOrAn, type RouteResponse, type WriteRoute } from '../../route.ts';
import { counterIdOf } from '../../../model/invoice-counter.ts';
import type { ApiRequest } from '../../request.ts';
import type { HttpContext } from '../../context.ts';
import { cached } from '../../../model/traits/cached.ts';
import { decidedByPersons } from '../../../model/traits/decided-by-persons.ts';
import { forPersonsOnly } from '../../../model/traits/for-persons-only.ts';
import { endsWith } from '../../../model/traits/ends-with.ts';
import { erasable } from '../../../model/traits/erasable.ts';
import { grantsRights } from '../../../model/traits/grants-rights.ts';
import { limited } from '../../../model/traits/limited.ts';
import type { Nesting } from '../../../model/traits/nested-under.ts';
import { numbered } from '../../../model/traits/numbered.ts';
import { ownAccount } from '../../../model/traits/own-account.ts';
import { storesFile } from '../../../model/traits/stores-file.ts';
import { forPersons } from './resource-reads.ts';

/** Returns the creation of a record. */
export function createRoute(context: HttpContext, resource: Resource, create: Create<StoredRecord>): WriteRoute {
  const docs = { summary: `Create ${aOrAn(resource)}`, description: `Creates ${aOrAn(resource)}.`, ...docsOf(create) };
  const contents = storesFile.of(resource);
  const refusals = limited.has(resource) ? ['limit_reached' as const] : [];
  return {
    ...writeRoute(context, resource, 'POST', '', create.body),
    operationId: `${resource.path}_create`,
    docs: { ...docs, refusals: [...refusals, ...(create.refusals ?? [])] },
    response: { kind: 'record', resource, secrets: 'always' },
    // A person of the team belongs to the account of the team, which connected accounts do not have.
    ...((ownAccount.has(resource) || forPersonsOnly.has(resource)) && { ownAccountOnly: true }),
    showsSecrets: true,
    ...(create.alsoNeeds && { alsoNeeds: create.alsoNeeds }),
    // A new record is in no cache.
    propagationDelayMs: 0,
    // Requests that add to a limited count run one after the other here. Across processes the committer enforces the limit.
    locks: (request, input) => [
      ...summedUpBy(context, resource, input),
      ...(limited.has(resource) ? [resource.path] : []),
      ...counterOf(resource, request),
      ...actingKey(resource, request),
      ...endingOf(resource, request, input),
    ],
    upload: contents ? { contents, prefix: resource.prefix } : null,
    decide: (request, input, caller, deciding) => decideCreation(deciding, resource, request, input, caller),
  };
}

/** Returns the update of a record. */
export function updateRoute(context: HttpContext, resource: Resource, update: Update<StoredRecord>): WriteRoute {
  return {
    ...writeRoute(context, resource, 'POST', '/:id', update.body),
    operationId: `${resource.path}_update`,
    docs: updateDocs(resource, update),
    decide: async (request, input, caller, deciding) =>
      decideUpdateOf(deciding, resource, await loadPresent(deciding, resource, request), request, input, caller),
  };
}

/** Returns one action of a kind: `POST /v1/<path>/{id}/<name>`. */
export function actionRoute(context: HttpContext, resource: Resource, name: string, action: Action): WriteRoute {
  const [permission, ...also] = action.permissions ?? [`${resource.path}.write`];
  const { isForPersons, ...route } = writeRoute(
    context,
    resource,
    'POST',
    `/:id/${name}`,
    action.body ?? closedObject({}),
  );
  return {
    ...route,
    // Keys can have the permissions that an action of such a kind names itself.
    ...(isForPersons && !(action.permissions && decidedByPersons.has(resource)) && { isForPersons }),
    locks: async (request, input) => [...(await route.locks(request, input)), ...counterOf(resource, request)],
    operationId: `${resource.path}_${name}`,
    docs: { summary: `${name} ${aOrAn(resource)}`, ...refusingErased(resource, docsOf(action)) },
    response: actionResponse(resource, action),
    showsSecrets: action.showsSecrets ?? false,
    permission,
    alsoNeeds: also,
    async decide(request, input, caller, deciding) {
      const record = await loadPresent(deciding, resource, request);
      return decideActionOn(deciding, resource, action, record, request, input, caller);
    },
  };
}

/** Returns the actions on records of other kinds that make a record of this kind. */
export function actionRoutesOnOthers(
  context: HttpContext,
  resource: Resource,
  actionsOn: NonNullable<Nesting['actions']>,
): WriteRoute[] {
  return Object.entries(actionsOn).flatMap(([path, actions]) =>
    Object.entries(actions).map(([name, action]) => ({
      ...actionRoute(context, resourceAt(context, path), name, { returns: resource, ...action }),
      object: resource.object,
    })),
  );
}

/** Returns the common parts of all operations that change a record. */
export function writeRoute(
  context: HttpContext,
  resource: Resource,
  method: WriteRoute['method'],
  path: string,
  body: TObject,
): Omit<WriteRoute, 'decide' | 'operationId' | 'docs'> {
  return {
    method,
    response: { kind: 'record', resource, secrets: 'never' },
    path: `/v1/${resource.path}${path}`,
    permission: `${resource.path}.write`,
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    body,
    upload: null,
    showsSecrets: false,
    // Redact them on every route, because a client may send them to a wrong one by mistake.
    secretMembers: resource.update?.secrets ?? [],
    propagationDelayMs: cached.of(resource) ?? 0,
    ...(isRightsMatter(resource) && { requiresSamePrincipal: true }),
    ...(decidedByPersons.has(resource) ? { isForPersons: true } : forPersons(resource)),
    async locks(request) {
      const id = idInPath(request);
      if (!isSummedUp(context, resource) || !isId(resource.prefix, id)) return [id, ...actingKey(resource, request)];
      // Ignore errors here: the decision reads the record again and reports them.
      const record = await context.readRecord(resource, request.accountId, id).catch(() => null);
      return record ? [id, ...summedUpBy(context, resource, record)] : [id];
    },
  };
}

/** Returns whether a write to these records needs the rights of its principal as they are at the commit. */
function isRightsMatter(resource: Resource): boolean {
  return [grantsRights, forPersonsOnly, decidedByPersons].some((trait) => trait.has(resource));
}

/** Returns the id of the acting key for writes about keys. Its own changes and its writes wait for each other. */
function actingKey(resource: Resource, { principal }: ApiRequest): string[] {
  return grantsRights.has(resource) ? [principal.id] : [];
}

/** Returns the id of the record that a new one ends with. So a change of that record sees the new one. */
function endingOf(resource: Resource, { principal }: ApiRequest, input: JsonObject): string[] {
  const rule = endsWith.of(resource);
  if (!rule) return [];
  const named = input[rule.column];
  return [typeof named === 'string' ? named : principal.id];
}

/** Returns the id of the counter that numbers these records. Each of them waits for its turn, rather than losing to another. */
function counterOf(resource: Resource, { accountId }: ApiRequest): string[] {
  return numbered.has(resource) ? [counterIdOf(accountId)] : [];
}

function isSummedUp({ resources }: HttpContext, resource: Resource): boolean {
  return rollUpsOf(resources, resource).length > 0;
}

/** Returns the ids of records that sum up this one, from its links. */
function summedUpBy({ resources }: HttpContext, resource: Resource, links: JsonObject): string[] {
  return rollUpsOf(resources, resource).flatMap(([{ prefix }, { link, find }]) => {
    if (find) return [];
    return idsAt(links, link).flatMap(({ id }) => (isId(prefix, id) ? [id] : []));
  });
}

/** Describes an update for the API docs. */
export function updateDocs(resource: Resource, update: Update<StoredRecord>): OperationDocs & { summary: string } {
  const description = `Sets the members that you send. All others stay as they are.`;
  const { description: particular, ...docs } = refusingErased(resource, docsOf(update));
  return {
    summary: `Update ${aOrAn(resource)}`,
    ...docs,
    description: particular === undefined ? description : `${description} ${particular}`,
  };
}

/** Returns the response of an action. */
export function actionResponse(resource: Resource, { returns = resource, showsSecrets }: Action): RouteResponse {
  return { kind: 'record', resource: returns, secrets: showsSecrets ? 'always' : 'never' };
}

/** Adds the refusal of records about an erased person, which `loadPresent` throws. */
export function refusingErased(resource: Resource, docs: OperationDocs): OperationDocs {
  if (!erasable.has(resource)) return docs;
  return { ...docs, refusals: [...new Set([...(docs.refusals ?? []), 'status_transition_invalid' as const])] };
}

/** Returns the part of a definition for the API docs. */
export function docsOf(docs: OperationDocs): OperationDocs {
  const { summary, description, example, refusals, sensitive, isSensitiveByDefault } = docs;
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(example && { example }),
    ...(refusals && { refusals }),
    ...(sensitive !== undefined && { sensitive }),
    ...(isSensitiveByDefault && { isSensitiveByDefault }),
  };
}
