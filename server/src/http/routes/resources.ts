import type { TObject } from 'typebox';
import {
  decideAction,
  decideCreate,
  decideErasure,
  decideUpdate,
  toDecision,
  isErased,
  isGone,
} from '../../model/change.ts';
import { isId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { ApiError } from '../../core/errors.ts';
import { includesPermission } from '../../model/permissions.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Caller } from '../../model/caller.ts';
import type { Action, Create, Resource, OperationDocs, Update } from '../../model/resource.ts';
import { closedObject } from '../../model/schemas.ts';
import { readCount, type ListQuery } from '../../db/list-query.ts';
import { recordMissing } from '../response/errors.ts';
import { clockRoute } from './sandbox-clock.ts';
import { renderExpanded } from '../response/expand.ts';
import { listParameters, listQuery } from './list.ts';
import { openSecrets } from '../response/render.ts';
import { idInPath, load, loadPage, loadPresent } from './load.ts';
import {
  aOrAn,
  displayName,
  type ContentsRoute,
  type ReadRoute,
  type Route,
  type RouteAnswer,
  type WriteRoute,
} from '../route.ts';
import { streamRoute } from './event-stream.ts';
import { testHelperRoutes } from './test-helpers.ts';
import { versionRoutes } from './api-versions.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';
import { aboutAccount } from '../../model/traits/about-account.ts';
import { cached } from '../../model/traits/cached.ts';
import { erasable, type Erasure } from '../../model/traits/erasable.ts';
import { grantsRights } from '../../model/traits/grants-rights.ts';
import { limited } from '../../model/traits/limited.ts';
import { nestedUnder, type Nesting } from '../../model/traits/nested-under.ts';
import { ownAccount, type OwnAccount } from '../../model/traits/own-account.ts';
import { storesFile, type Contents } from '../../model/traits/stores-file.ts';
import { streamed } from '../../model/traits/streamed.ts';
import { sumsUp } from '../../model/traits/sums-up.ts';

/** Every operation there is: those of the resources, those about the API's versions, and what only a sandbox has. */
export function routesOf(context: HttpContext): Route[] {
  const { sandboxClock } = context;
  const routes = [...routesOfResources(context), ...testHelperRoutes(context)];
  return [...routes, ...versionRoutes(context, routes), ...(sandboxClock ? [clockRoute(sandboxClock)] : [])];
}

function routesOfResources(context: HttpContext): Route[] {
  return context.resources.flatMap((resource) => {
    const nesting = nestedUnder.of(resource);
    if (nesting) {
      return [
        ...listRoutesBelow(context, resource, nesting.columns),
        ...actionRoutesOnOthers(context, resource, nesting.actions ?? {}),
      ];
    }
    const own = ownAccount.of(resource);
    const contents = storesFile.of(resource);
    const erasure = erasable.of(resource);
    return [
      ...(own ? ownRoutes(context, resource, own) : []),
      listRoute(context, resource),
      ...(streamed.has(resource) ? [streamRoute(context, resource)] : []),
      retrieveRoute(context, resource),
      ...(contents ? [contentsRoute(context, resource, contents)] : []),
      ...(resource.create ? [createRoute(context, resource, resource.create)] : []),
      ...(resource.update && !own ? [updateRoute(context, resource, resource.update)] : []),
      ...(resource.delete ? [deleteRoute(context, resource, resource.delete)] : []),
      ...(erasure ? [eraseRoute(context, resource, erasure)] : []),
      ...Object.entries(resource.actions ?? {}).map(([name, action]) => actionRoute(context, resource, name, action)),
    ];
  });
}

function listRoute(context: HttpContext, resource: Resource): ReadRoute {
  return {
    method: 'GET',
    operationId: `${resource.path}_list`,
    docs: {
      summary: `List ${displayName(resource.path)}`,
      description: `The account’s ${displayName(resource.path)}, the newest first.`,
    },
    answer: { kind: 'list', resource },
    path: `/v1/${resource.path}`,
    permission: `${resource.path}.read`,
    object: resource.object,
    expandable: { resource, isList: true },
    query: listParameters(resource),
    read: (request, query) => renderList(context, resource, listQuery(resource, query, request.accountId), request),
  };
}

/** The lists of records that belong to others: `GET /v1/<path of theirs>/{id}/<path>`. Whoever may read those may read these. */
function listRoutesBelow(context: HttpContext, resource: Resource, columns: Nesting['columns']): ReadRoute[] {
  return Object.entries(columns).map(([path, column]) => {
    const owners = resourceAt(context, path);
    return {
      method: 'GET',
      operationId: `${path}_list_${resource.path}`,
      docs: {
        summary: `List the ${displayName(resource.path)} of ${aOrAn(owners)}`,
        description: `The ${displayName(resource.path)} of this ${displayName(owners.object)}, the newest first.`,
      },
      answer: { kind: 'list', resource },
      path: `/v1/${path}/:id/${resource.path}`,
      permission: `${path}.read`,
      object: resource.object,
      expandable: { resource, isList: true },
      query: listParameters(resource),
      async read(request, query) {
        const owner = await load(context, owners, request);
        const wanted = listQuery(resource, query, request.accountId);
        wanted.filters.push({ filter: { column, match: 'exact', schema: {} }, value: owner.id });
        // What a platform has been sent of a connected account's event is the platform's own.
        const { accountId } = request.principal;
        if (aboutAccount.of(resource)?.path === path && accountId !== request.accountId)
          wanted.alsoAccountId = accountId;
        return renderList(context, resource, wanted, request);
      },
    };
  });
}

/** What can be done with records of other kinds, and makes one of this. */
function actionRoutesOnOthers(
  context: HttpContext,
  resource: Resource,
  actionsOn: NonNullable<Nesting['actions']>,
): WriteRoute[] {
  return Object.entries(actionsOn).flatMap(([path, actions]) =>
    Object.entries(actions).map(([name, action]) => ({
      ...actionRoute(context, resourceAt(context, path), name, { answers: resource, ...action }),
      object: resource.object,
    })),
  );
}

async function renderList(
  context: HttpContext,
  resource: Resource,
  query: ListQuery,
  request: ApiRequest,
): Promise<JsonObject> {
  const page = await loadPage(context, resource, query, request);
  return {
    object: 'list',
    count: page.count,
    has_more: page.hasMore,
    data: await Promise.all(page.records.map((record) => renderExpanded(context, request, resource, record))),
  };
}

function retrieveRoute(context: HttpContext, resource: Resource): ReadRoute {
  const { path } = resource;
  return {
    method: 'GET',
    operationId: `${path}_retrieve`,
    docs: { summary: `Retrieve ${aOrAn(resource)}`, description: `The ${displayName(resource.object)} as it is now.` },
    answer: { kind: 'record', resource, secrets: 'to_writers' },
    path: `/v1/${path}/:id`,
    permission: `${path}.read`,
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    async read(request) {
      const record = await load(context, resource, request);
      const object = await renderExpanded(context, request, resource, record);
      // Whoever may change the secret may see it.
      if (!includesPermission(request.principal.permissions, `${path}.write`)) return object;
      return { ...object, ...openSecrets(resource, record, context.vault) };
    },
  };
}

/** What every record that holds bytes tells of them. */
interface StoredFile {
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
}

/** Whoever may see that there is a file need not be allowed to read it. */
function contentsRoute(context: HttpContext, resource: Resource, contents: Contents): ContentsRoute {
  const name = displayName(resource.object);
  return {
    method: 'GET',
    operationId: `${resource.path}_contents`,
    docs: {
      summary: `Download ${aOrAn(resource)}`,
      description: `Answers the bytes of the ${name}, to be saved and not shown. Needs a permission of its own: whoever may know of a ${name} need not be allowed to read it.`,
    },
    answer: { kind: 'file', contentType: contents.contentType, description: `The ${name}, byte for byte.` },
    path: `/v1/${resource.path}/:id/contents`,
    permission: `${resource.object}_contents.read`,
    object: resource.object,
    expandable: null,
    query: {},
    async open(request) {
      const record = await load(context, resource, request);
      const { filename, content_type, size, sha256 } = record as StoredRecord & StoredFile;
      const parts = context.fileStore.read(request.accountId, record.id);
      // Read before anything is answered: a file that cannot be read, or was deleted at this moment, is told of like any other.
      const first = await parts.next();
      if (first.done) throw recordMissing(resource, record.id);
      return { filename, contentType: content_type, size, sha256, bytes: startingWith(first.value, parts) };
    },
  };
}

async function* startingWith<Value>(first: Value, others: AsyncIterable<Value>): AsyncGenerator<Value> {
  yield first;
  yield* others;
}

function createRoute(context: HttpContext, resource: Resource, create: Create<StoredRecord>): WriteRoute {
  const docs = { summary: `Create ${aOrAn(resource)}`, description: `Makes ${aOrAn(resource)}.`, ...docsOf(create) };
  const contents = storesFile.of(resource);
  const refusals = limited.has(resource) ? ['limit_reached' as const] : [];
  return {
    ...writeRoute(context, resource, 'POST', '', create.body),
    operationId: `${resource.path}_create`,
    docs: { ...docs, refusals: [...refusals, ...(create.refusals ?? [])] },
    answer: { kind: 'record', resource, secrets: 'always' },
    ...(ownAccount.has(resource) && { ownAccountOnly: true }),
    showsSecrets: true,
    ...(create.alsoNeeds && { alsoNeeds: create.alsoNeeds }),
    // Nobody can have read it yet.
    propagationDelayMs: 0,
    // Those that add to a count with a limit go one after the other here. Across processes the committer sees to it.
    touches: (request, input) => [
      ...summedUpBy(context, resource, input),
      ...(limited.has(resource) ? [resource.path] : []),
      ...actingKey(resource, request),
    ],
    upload: contents ? { contents, prefix: resource.prefix } : null,
    async decide(request, input, caller) {
      const id = request.upload?.id ?? context.ids.make(resource.prefix);
      const change = decideCreate(resource, id, request.accountId, input, caller);
      await requireRoom(context, resource, request.accountId);
      return { changes: [change] };
    },
  };
}

/**
 * Tells early, and in words, what the committer holds in the end.
 *
 * @throws {ApiError} `limit_reached` if the account has as many of these as it may have.
 */
async function requireRoom(context: HttpContext, resource: Resource, accountId: string): Promise<void> {
  const most = limited.of(resource);
  if (most === undefined || (await readCount(context.reader, resource, accountId)) < most) return;
  throw new ApiError(
    'limit_reached',
    `This account has ${most} ${resource.path} already, the most there can be. Delete one that is not needed.`,
  );
}

function updateRoute(context: HttpContext, resource: Resource, update: Update<StoredRecord>): WriteRoute {
  return {
    ...writeRoute(context, resource, 'POST', '/:id', update.body),
    operationId: `${resource.path}_update`,
    docs: updateDocs(resource, update),
    decide: async (request, input, caller) =>
      decideUpdate(resource, await loadPresent(context, resource, request), input, caller),
  };
}

function deleteRoute(context: HttpContext, resource: Resource, how: 'removes' | 'erases' | Action): WriteRoute {
  const name = displayName(resource.object);
  const summary = `Delete ${aOrAn(resource)}`;
  const also = erasedBesides(context, resource);
  const description =
    how === 'erases'
      ? `Erases the person: of the ${name} the id is left, and nothing in what is here about them: events, logs, the answers that are repeated for an \`Idempotency-Key\`, and references with the files of their reports. A file stays if a reference about another person names it. References that are still open are canceled; ids, times and outcomes stay. Texts that must be there become \`[erased]\`. When it is answered, it is done; a very long history is finished after ten seconds, and so is one whose database was away for that long. What no id leads to is yours to delete: other files, the \`metadata\` of applications. References about a person that your own system keeps are erased one by one, with \`POST /v1/references/{id}/erase\`. It takes ${also.map((permission) => `\`${permission}\``).join(' and ')} besides \`${resource.path}.write\`.`
      : `Removes the ${name}. Events and logs go on to name it.`;
  return {
    ...writeRoute(context, resource, 'DELETE', '/:id', closedObject({})),
    operationId: `${resource.path}_delete`,
    docs: { summary, description, ...(typeof how === 'object' && docsOf(how)) },
    answer: typeof how === 'object' ? actionAnswer(resource, how) : { kind: 'deletion', resource },
    ...(how === 'erases' && { alsoNeeds: also }),
    async decide(request, input, caller) {
      const before = await load(context, resource, request);
      if (how === 'removes') return { changes: [{ resource, before, after: null }] };
      if (how !== 'erases') return decideAction(resource, how, before, input, caller);
      if (isGone(resource, before)) return toDecision(resource, before, { after: before });
      return { changes: [decideErasure(resource, before, caller.nowSeconds)] };
    },
    ...(how === 'erases' && {
      afterwards: (request) => context.eraser.erasedNow(resource, request.accountId, idInPath(request)),
    }),
  };
}

/** Returns the permissions for all that is changed and deleted with a person. */
function erasedBesides({ resources }: HttpContext, person: Resource): string[] {
  return resources.flatMap((resource) => {
    const { path, links = {} } = resource;
    const erasure = erasable.of(resource);
    return erasure && links[erasure.link] === person.path
      ? [`${path}.write`, ...erasure.files.map((link) => `${links[link]}.write`)]
      : [];
  });
}

/** Erases what one record tells of a person. The files about them are deleted too, which takes the permission for that. */
function eraseRoute(context: HttpContext, resource: Resource, erasure: Erasure): WriteRoute {
  const name = displayName(resource.object);
  const also = erasure.files.map((link) => `${resource.links![link]}.write`);
  return {
    ...writeRoute(context, resource, 'POST', '/:id/erase', closedObject({})),
    operationId: `${resource.path}_erase`,
    docs: {
      summary: `Erase ${aOrAn(resource)}`,
      description: `Erases what the ${name} tells of a person that your own system keeps, for good: its \`metadata\`, what a provider found, the files of its report, and the same in events, logs and the answers that are repeated for an \`Idempotency-Key\`. An open ${name} is canceled. Ids, times and outcomes stay, and \`deleted\` is true. A file stays until the last ${name} that names it is erased. Other ${displayName(resource.path)} about the same person stay as they are: list them by \`${erasure.link}\`, and erase each. It takes ${also.map((permission) => `\`${permission}\``).join(' and ')} besides \`${resource.path}.write\`. A customer of this API is erased with all of their ${displayName(resource.path)} by \`DELETE /v1/${resource.links![erasure.link]}/{id}\`.`,
    },
    alsoNeeds: also,
    async decide(request, _, caller) {
      const before = await load(context, resource, request);
      if (isErased(before)) return toDecision(resource, before, { after: before });
      return { changes: [decideErasure(resource, before, caller.nowSeconds)] };
    },
    afterwards: (request) => context.eraser.erasedNow(resource, request.accountId, idInPath(request)),
  };
}

function actionRoute(context: HttpContext, resource: Resource, name: string, action: Action): WriteRoute {
  const [permission, ...also] = action.permissions ?? [`${resource.path}.write`];
  return {
    ...writeRoute(context, resource, 'POST', `/:id/${name}`, action.body ?? closedObject({})),
    operationId: `${resource.path}_${name}`,
    docs: { summary: `${name} ${aOrAn(resource)}`, ...docsOf(action) },
    answer: actionAnswer(resource, action),
    showsSecrets: action.showsSecrets ?? false,
    permission,
    alsoNeeds: also,
    async decide(request, input, caller) {
      const record = await loadPresent(context, resource, request);
      return decideAction(resource, action, record, input, caller, await loadNamed(context, action, request, input));
    },
  };
}

/**
 * The records that members of the body name.
 *
 * @throws {ApiError} `resource_missing` with status 400, naming the member.
 */
async function loadNamed(
  context: HttpContext,
  { names = {} }: Action,
  request: ApiRequest,
  input: object,
): Promise<Record<string, StoredRecord>> {
  const named: Record<string, StoredRecord> = {};
  for (const [member, path] of Object.entries(names)) {
    const resource = resourceAt(context, path);
    const id = (input as Record<string, string>)[member]!;
    const record = isId(resource.prefix, id) ? await readNamed(context, resource, request, id) : null;
    if (!record) {
      const message = `There is no ${displayName(resource.object)} \`${id.slice(0, 80)}\` in this account. Send the id of one that is here: \`${resource.prefix}_…\`.`;
      throw new ApiError('resource_missing', message, { param: member, status: 400 });
    }
    named[member] = record;
  }
  return named;
}

/** Whoever acts for a connected account may name what is their own, too. */
async function readNamed(
  { readRecord }: HttpContext,
  resource: Resource,
  { accountId, principal }: ApiRequest,
  id: string,
): Promise<StoredRecord | null> {
  const record = await readRecord(resource, accountId, id);
  return record ?? (principal.accountId === accountId ? null : readRecord(resource, principal.accountId, id));
}

function resourceAt({ resources }: HttpContext, path: string): Resource {
  const resource = resources.find((candidate) => candidate.path === path);
  if (!resource) throw new Error(`Bug! There is no resource ${path}.`);
  return resource;
}

/** What all operations that change a record have in common. */
function writeRoute(
  context: HttpContext,
  resource: Resource,
  method: WriteRoute['method'],
  path: string,
  body: TObject,
): Omit<WriteRoute, 'decide' | 'operationId' | 'docs'> {
  return {
    method,
    answer: { kind: 'record', resource, secrets: 'never' },
    path: `/v1/${resource.path}${path}`,
    permission: `${resource.path}.write`,
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    body,
    upload: null,
    showsSecrets: false,
    // Also where they are not taken: who sends them there has made a mistake, and they are secret all the same.
    secretMembers: resource.update?.secrets ?? [],
    propagationDelayMs: cached.of(resource) ?? 0,
    ...(grantsRights.has(resource) && { judgesKeyAnew: true }),
    async touches(request) {
      const id = idInPath(request);
      if (!isSummedUp(context, resource) || !isId(resource.prefix, id)) return [id, ...actingKey(resource, request)];
      // What goes wrong here goes wrong in the decision, too, where it is told.
      const record = await context.readRecord(resource, request.accountId, id).catch(() => null);
      return record ? [id, ...summedUpBy(context, resource, record)] : [id];
    },
  };
}

/** Returns the acting key where keys are made, rolled or revoked. Its own changes and what it does wait for each other. */
function actingKey(resource: Resource, { principal }: ApiRequest): string[] {
  return grantsRights.has(resource) ? [principal.id] : [];
}

function isSummedUp({ resources }: HttpContext, { path }: Resource): boolean {
  return resources.some((resource) => sumsUp.of(resource)?.of === path);
}

/** The records that sum up this one, by the links in it. */
function summedUpBy({ resources }: HttpContext, { path }: Resource, links: object): string[] {
  return resources.flatMap((resource) => {
    const { prefix } = resource;
    const rollUp = sumsUp.of(resource);
    if (rollUp?.of !== path) return [];
    const id = (links as Record<string, unknown>)[rollUp.link];
    return typeof id === 'string' && isId(prefix, id) ? [id] : [];
  });
}

/** An account finds and changes itself at a path of its own: `/v1/account`. */
function ownRoutes(context: HttpContext, resource: Resource, { ownPath, actions = {} }: OwnAccount): Route[] {
  const path = `/v1/${ownPath}`;
  const loadOwn = async (request: ApiRequest): Promise<StoredRecord> => {
    const record = await context.readRecord(resource, request.accountId, request.accountId);
    if (!record) throw new Error(`Bug! The account ${request.accountId} is not there.`);
    return record;
  };
  const read: ReadRoute = {
    method: 'GET',
    operationId: `${ownPath}_retrieve`,
    docs: {
      summary: `Retrieve your own ${displayName(resource.object)}`,
      description: `The ${displayName(resource.object)} that is acted upon: the key’s own, unless \`Service-Context\` names another.`,
    },
    answer: { kind: 'record', resource, secrets: 'never' },
    path,
    permission: `${resource.path}.read`,
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    read: async (request) => renderExpanded(context, request, resource, await loadOwn(request)),
  };
  const ownRoute = (name: string, body: TObject): Omit<WriteRoute, 'decide' | 'operationId' | 'docs'> => ({
    ...writeRoute(context, resource, 'POST', '', body),
    path: path + name,
    touches: (request) => [request.accountId],
  });
  return [
    read,
    ...(resource.update
      ? [
          {
            ...ownRoute('', resource.update.body),
            operationId: `${ownPath}_update`,
            docs: {
              ...updateDocs(resource, resource.update),
              summary: `Update your own ${displayName(resource.object)}`,
            },
            decide: async (request: ApiRequest, input: object, caller: Caller) =>
              decideUpdate(resource, await loadOwn(request), input, caller),
          },
        ]
      : []),
    ...Object.entries(actions).map(([name, action]) => ({
      ...ownRoute(`/${name}`, action.body ?? closedObject({})),
      operationId: `${ownPath}_${name.replaceAll('/', '_')}`,
      docs: { summary: name, ...docsOf(action) },
      decide: async (request: ApiRequest, input: object, caller: Caller) =>
        decideAction(resource, action, await loadOwn(request), input, caller),
    })),
  ];
}

function updateDocs(resource: Resource, update: Update<StoredRecord>): OperationDocs & { summary: string } {
  const description = `Sets the members that are sent, and leaves all others as they are.`;
  const { description: particular, ...docs } = docsOf(update);
  return {
    summary: `Update ${aOrAn(resource)}`,
    ...docs,
    description: particular === undefined ? description : `${description} ${particular}`,
  };
}

/** What the answer to an action shows. */
function actionAnswer(resource: Resource, { answers = resource, showsSecrets }: Action): RouteAnswer {
  return { kind: 'record', resource: answers, secrets: showsSecrets ? 'always' : 'never' };
}

/** The part of a definition that is for the reference. */
function docsOf({ summary, description, example, refusals }: OperationDocs): OperationDocs {
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(example && { example }),
    ...(refusals && { refusals }),
  };
}
