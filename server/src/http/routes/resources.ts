import type { TObject } from 'typebox';
import { decideErasure, toDecision, isErased, isGone } from '../../model/change.ts';
import { isId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { includesPermission } from '../../model/permissions.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Caller } from '../../model/caller.ts';
import type { Action, Create, Resource, OperationDocs, Update } from '../../model/resource.ts';
import { idsAt } from '../../model/links.ts';
import { closedObject } from '../../model/schemas.ts';
import { rollUpsOf } from '../../model/roll-ups.ts';
import type { ListQuery } from '../../db/list-query.ts';
import { activityRoute } from './activity.ts';
import { decideActionOn, decideCreation, decideUpdateOf, requireUnused, resourceAt } from '../write/decisions.ts';
import { emailRoutes } from './emails.ts';
import { contentsRoute } from './contents.ts';
import { clockRoutes } from './sandbox-clock.ts';
import { importRoute } from './imports.ts';
import { erasurePreviewRoute } from './erasure-preview.ts';
import { renderExpanded } from '../response/expand.ts';
import { listParameters, listQuery } from './list.ts';
import { openSecrets } from '../response/render.ts';
import { recordMissing } from '../response/errors.ts';
import { idInPath, load, loadPage, loadPresent } from './load.ts';
import { aOrAn, displayName, type ReadRoute, type Route, type RouteResponse, type WriteRoute } from '../route.ts';
import { readRetention, sealed, withFilesToErase } from '../write/retention.ts';
import { sealedContentsRoute } from './sealed-contents.ts';
import { referencingProvidersRoute } from './referencing-providers.ts';
import { rulesetRoute } from './rulesets.ts';
import { invoicePdfRoute } from './invoice-pdf.ts';
import { searchRoute } from './search.ts';
import { statementRoute } from './statements.ts';
import { streamRoute } from './event-stream.ts';
import { testHelperRoutes } from './test-helpers.ts';
import { workflowTestRoute } from './workflow-test.ts';
import { versionRoutes } from './api-versions.ts';
import { counterIdOf } from '../../model/invoice-counter.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext } from '../context.ts';
import { hiddenFrom, isHidden } from '../hidden-events.ts';
import { isConfirmed, realSecondsOf } from '../../sign-in/sessions.ts';
import { aboutAccount } from '../../model/traits/about-account.ts';
import { cached } from '../../model/traits/cached.ts';
import { decidedByPersons } from '../../model/traits/decided-by-persons.ts';
import { checksRemoval } from '../../model/traits/checks-removal.ts';
import { forPersonsOnly } from '../../model/traits/for-persons-only.ts';
import { erasable, type Erasure } from '../../model/traits/erasable.ts';
import { grantsRights } from '../../model/traits/grants-rights.ts';
import { importsFile } from '../../model/traits/imports-file.ts';
import { inUse } from '../../model/traits/in-use.ts';
import { keepsOne } from '../../model/traits/keeps-one.ts';
import { limited } from '../../model/traits/limited.ts';
import { nestedUnder, type Nesting } from '../../model/traits/nested-under.ts';
import { numbered } from '../../model/traits/numbered.ts';
import { ownAccount, type OwnAccount } from '../../model/traits/own-account.ts';
import { storesFile } from '../../model/traits/stores-file.ts';
import { streamed } from '../../model/traits/streamed.ts';

/** Returns every operation: those of the resources, those about activity and API versions, and those of a sandbox. */
export function routesOf(context: HttpContext): Route[] {
  const { sandboxClock } = context;
  const routes = [...routesOfResources(context), ...testHelperRoutes(context)];
  return [
    ...routes,
    activityRoute(context),
    rulesetRoute(context),
    referencingProvidersRoute(context),
    statementRoute(context),
    invoicePdfRoute(context),
    searchRoute(context),
    sealedContentsRoute(context),
    erasurePreviewRoute(context),
    workflowTestRoute(context),
    ...emailRoutes(context),
    ...versionRoutes(context, routes),
    ...(sandboxClock ? clockRoutes(context, sandboxClock) : []),
  ];
}

function routesOfResources(context: HttpContext): Route[] {
  return context.resources.flatMap((resource) => {
    const nesting = nestedUnder.of(resource);
    if (nesting) {
      return [
        ...listRoutesBelow(context, resource, nesting),
        ...actionRoutesOnOthers(context, resource, nesting.actions ?? {}),
      ];
    }
    const own = ownAccount.of(resource);
    const contents = storesFile.of(resource);
    const erasure = erasable.of(resource);
    const fileImport = importsFile.of(resource);
    return [
      ...(own ? ownRoutes(context, resource, own) : []),
      listRoute(context, resource),
      ...(streamed.has(resource) ? [streamRoute(context, resource)] : []),
      retrieveRoute(context, resource),
      ...(contents ? [contentsRoute(context, resource, contents)] : []),
      ...(resource.create ? [createRoute(context, resource, resource.create)] : []),
      ...(fileImport ? [importRoute(context, resource, fileImport)] : []),
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
      description: `Returns the account’s ${displayName(resource.path)}, the newest first.`,
    },
    response: { kind: 'list', resource },
    path: `/v1/${resource.path}`,
    permission: `${resource.path}.read`,
    ...forPersons(resource),
    object: resource.object,
    expandable: { resource, isList: true },
    query: listParameters(resource),
    read: (request, query) =>
      renderList(
        context,
        resource,
        {
          ...listQuery(context, resource, query, request.accountId),
          without: hiddenFrom(context, resource, request.principal),
        },
        request,
      ),
  };
}

/** Returns the lists of records below others: `GET /v1/<path of theirs>/{id}/<path>`. Most need only the permission to read the others. */
function listRoutesBelow(context: HttpContext, resource: Resource, { columns, alsoNeeds }: Nesting): ReadRoute[] {
  return Object.entries(columns).map(([path, column]) => {
    const owners = resourceAt(context, path);
    const also = alsoNeeds?.[path] ?? [];
    return {
      method: 'GET',
      operationId: `${path}_list_${resource.path}`,
      docs: {
        summary: `List the ${displayName(resource.path)} of ${aOrAn(owners)}`,
        description: `Returns the ${displayName(resource.path)} of this ${displayName(owners.object)}, the newest first.${also.map((needed) => ` Your key also needs \`${needed}\`.`).join('')}`,
      },
      response: { kind: 'list', resource },
      path: `/v1/${path}/:id/${resource.path}`,
      permission: `${path}.read`,
      alsoNeeds: also,
      object: resource.object,
      expandable: { resource, isList: true },
      query: listParameters(resource),
      async read(request, query) {
        const owner = await load(context, owners, request);
        const wanted = listQuery(context, resource, query, request.accountId);
        wanted.filters.push({ filter: { column, match: 'exact', schema: {} }, value: owner.id });
        // Deliveries of a connected account's event to its platform belong to the platform.
        const { accountId } = request.principal;
        if (aboutAccount.of(resource)?.path === path && accountId !== request.accountId)
          wanted.alsoAccountId = accountId;
        return renderList(context, resource, wanted, request);
      },
    };
  });
}

/** Returns the actions on records of other kinds that make a record of this kind. */
function actionRoutesOnOthers(
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

function forPersons(resource: Resource): { isForPersons?: true } {
  return forPersonsOnly.has(resource) ? { isForPersons: true } : {};
}

function retrieveRoute(context: HttpContext, resource: Resource): ReadRoute {
  const { path } = resource;
  return {
    method: 'GET',
    operationId: `${path}_retrieve`,
    docs: {
      summary: `Retrieve ${aOrAn(resource)}`,
      description: `Returns the ${displayName(resource.object)} as it is now.`,
    },
    response: { kind: 'record', resource, secrets: 'to_writers' },
    path: `/v1/${path}/:id`,
    permission: `${path}.read`,
    ...forPersons(resource),
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    async read(request) {
      const record = await load(context, resource, request);
      if (isHidden(context, resource, record, request.principal)) throw recordMissing(resource, record.id);
      const object = await renderExpanded(context, request, resource, record);
      // A key that may change the secret may see it.
      if (!includesPermission(request.principal.permissions, `${path}.write`)) return object;
      if (!isConfirmed(request.principal, realSecondsOf(context))) return object;
      return { ...object, ...openSecrets(resource, record, context.encryption) };
    },
  };
}

function createRoute(context: HttpContext, resource: Resource, create: Create<StoredRecord>): WriteRoute {
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
    ],
    upload: contents ? { contents, prefix: resource.prefix } : null,
    decide: (request, input, caller, deciding) => decideCreation(deciding, resource, request, input, caller),
  };
}

function updateRoute(context: HttpContext, resource: Resource, update: Update<StoredRecord>): WriteRoute {
  return {
    ...writeRoute(context, resource, 'POST', '/:id', update.body),
    operationId: `${resource.path}_update`,
    docs: updateDocs(resource, update),
    decide: async (request, input, caller, deciding) =>
      decideUpdateOf(deciding, resource, await loadPresent(deciding, resource, request), request, input, caller),
  };
}

function deleteRoute(context: HttpContext, resource: Resource, how: 'removes' | 'erases' | Action): WriteRoute {
  const name = displayName(resource.object);
  const summary = `Delete ${aOrAn(resource)}`;
  const also = erasedBesides(context, resource);
  const description =
    how === 'erases'
      ? `Erases the person’s data everywhere: in the ${name}, events, logs, stored responses for an \`Idempotency-Key\`, bank lines, texts of tenancies, applications, deposits and payments, references with the files of their reports, the files of \`right_to_rent\` and of guarantees, and agreements and certificates without another living tenant. What a legal duty requires is kept, encrypted, in retention holds. \`GET /v1/customers/{id}/erasure\` shows before what goes and what is kept. Only the id of the ${name} is left. It is refused while a tenancy holds a home or has a balance, or a deposit is held: the error names the records. A file stays if a record about another person names it. Open references are canceled. Ids, times and outcomes stay. Required texts become \`[erased]\`. When you get the response, the erasure is done. The erasure continues after the response in two cases only: a very long history takes more than ten seconds, or the database is away for that long. Delete yourself what no id leads to: other files, texts of invoices, and the \`metadata\` of records that stay. If your own system stores the person, erase each reference with \`POST /v1/references/{id}/erase\`. Your key needs ${also.map((permission) => `\`${permission}\``).join(' and ')} besides \`${resource.path}.write\`.`
      : `Deletes the ${name}. Events and logs still name it.`;
  return {
    ...writeRoute(context, resource, 'DELETE', '/:id', closedObject({})),
    operationId: `${resource.path}_delete`,
    docs: {
      summary,
      description,
      sensitive: true,
      ...(typeof how === 'object' && refusingErased(resource, docsOf(how))),
      ...(keepsOne.has(resource) && { refusals: ['status_transition_invalid' as const] }),
      ...(inUse.has(resource) && { refusals: [inUse.of(resource)?.refusal ?? ('record_in_use' as const)] }),
    },
    response: typeof how === 'object' ? actionResponse(resource, how) : { kind: 'deletion', resource },
    ...(how === 'erases' && { alsoNeeds: also }),
    async decide(request, input, caller, deciding) {
      if (typeof how === 'object') {
        const record = await loadPresent(deciding, resource, request);
        return decideActionOn(deciding, resource, how, record, request, input, caller);
      }
      const before = await load(deciding, resource, request);
      const isRepeated = isGone(resource, before);
      // A payment may have come after the erasure. That does not bring the person back.
      const guards = isRepeated ? [] : await requireUnused(deciding, resource, request, before);
      if (how === 'erases') caller.requireConfirmation();
      if (how === 'removes') {
        checksRemoval.of(resource)?.check(before, caller);
        return { changes: [{ resource, before, after: null }], guards };
      }
      if (isRepeated) return toDecision(resource, before, { after: before });
      const { kept, guards: ofDuties } = await readRetention(deciding, resource, request, before);
      const erasure = withFilesToErase(resource, decideErasure(resource, before, caller.nowSeconds), before);
      return { changes: [erasure, ...sealed(deciding, before, kept)], guards: [...guards, ...ofDuties] };
    },
    ...(how === 'erases' && {
      afterCommit: (request) => context.eraser.erasedNow(resource, request.accountId, idInPath(request)),
    }),
  };
}

/** Returns the permissions for all records that are changed or deleted with a person. */
function erasedBesides({ resources }: HttpContext, person: Resource): string[] {
  return resources.flatMap((resource) => {
    const { path, links = {} } = resource;
    const erasure = erasable.of(resource);
    return erasure && links[erasure.link] === person.path
      ? [`${path}.write`, ...erasure.files.map((link) => `${links[link]}.write`)]
      : [];
  });
}

/** Returns the erasure of personal data in one record. Files about the person are deleted too, which needs another permission. */
function eraseRoute(context: HttpContext, resource: Resource, erasure: Erasure): WriteRoute {
  const name = displayName(resource.object);
  const also = erasure.files.map((link) => `${resource.links![link]}.write`);
  return {
    ...writeRoute(context, resource, 'POST', '/:id/erase', closedObject({})),
    operationId: `${resource.path}_erase`,
    docs: {
      sensitive: true,
      refusals: ['reauthentication_required'],
      summary: `Erase ${aOrAn(resource)}`,
      description:
        also.length === 0
          ? erasesTexts(resource, erasure)
          : `Erases the personal data of the ${name} for good, if your own system stores the person. It erases the \`metadata\`, the provider’s findings and the files of the report. The same data is erased in events, logs and stored responses for an \`Idempotency-Key\`. An open ${name} is canceled. Ids, times and outcomes stay, and \`deleted\` is true. A file stays until the last ${name} that names it is erased. Other ${displayName(resource.path)} about the same person are not changed. List them by \`${erasure.link}\`, and erase each. Your key needs ${also.map((permission) => `\`${permission}\``).join(' and ')} besides \`${resource.path}.write\`. To erase a customer of this API with all of their ${displayName(resource.path)}, use \`DELETE /v1/${resource.links![erasure.link]}/{id}\`.`,
    },
    alsoNeeds: also,
    async decide(request, _, caller, deciding) {
      caller.requireConfirmation();
      const before = await load(deciding, resource, request);
      if (isErased(before)) return toDecision(resource, before, { after: before });
      return { changes: [decideErasure(resource, before, caller.nowSeconds)] };
    },
    afterCommit: (request) => context.eraser.erasedNow(resource, request.accountId, idInPath(request)),
  };
}

/** Describes the erasure of records that have no files. */
function erasesTexts({ object, path, links }: Resource, { link }: Erasure): string {
  const [name, others] = [displayName(object), displayName(path)];
  return `Erases the personal data of the ${name} for good: in the ${name}, in events, in logs and in stored responses for an \`Idempotency-Key\`. Ids, amounts and times stay, and \`deleted\` is true. Other ${others} about the same person are not changed. List them by \`${link}\`, and erase each. To erase a customer of this API with all of their ${others}, use \`DELETE /v1/${links![link]}/{id}\`.`;
}

function actionRoute(context: HttpContext, resource: Resource, name: string, action: Action): WriteRoute {
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

/** Returns the common parts of all operations that change a record. */
function writeRoute(
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

/** Returns the routes by which an account reads and changes itself: `/v1/account`. */
function ownRoutes(context: HttpContext, resource: Resource, { ownPath, actions = {} }: OwnAccount): Route[] {
  const path = `/v1/${ownPath}`;
  const loadOwn = async (request: ApiRequest, { readRecord }: HttpContext): Promise<StoredRecord> => {
    const record = await readRecord(resource, request.accountId, request.accountId);
    if (!record) throw new Error(`Bug! The account ${request.accountId} is not there.`);
    return record;
  };
  const read: ReadRoute = {
    method: 'GET',
    operationId: `${ownPath}_retrieve`,
    docs: {
      summary: `Retrieve your own ${displayName(resource.object)}`,
      description: `Returns the ${displayName(resource.object)} of your key, or the one in \`Service-Context\`.`,
    },
    response: { kind: 'record', resource, secrets: 'never' },
    path,
    permission: `${resource.path}.read`,
    object: resource.object,
    expandable: { resource, isList: false },
    query: {},
    read: async (request) => renderExpanded(context, request, resource, await loadOwn(request, context)),
  };
  const ownRoute = (name: string, body: TObject): Omit<WriteRoute, 'decide' | 'operationId' | 'docs'> => ({
    ...writeRoute(context, resource, 'POST', '', body),
    path: path + name,
    locks: (request) => [request.accountId],
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
            decide: async (request: ApiRequest, input: JsonObject, caller: Caller, deciding: HttpContext) =>
              decideUpdateOf(deciding, resource, await loadOwn(request, deciding), request, input, caller),
          },
        ]
      : []),
    ...Object.entries(actions).map(([name, action]) => ({
      ...ownRoute(`/${name}`, action.body ?? closedObject({})),
      operationId: `${ownPath}_${name.replaceAll('/', '_')}`,
      docs: { summary: name, ...docsOf(action) },
      decide: async (request: ApiRequest, input: JsonObject, caller: Caller, deciding: HttpContext) =>
        decideActionOn(deciding, resource, action, await loadOwn(request, deciding), request, input, caller),
    })),
  ];
}

function updateDocs(resource: Resource, update: Update<StoredRecord>): OperationDocs & { summary: string } {
  const description = `Sets the members that you send. All others stay as they are.`;
  const { description: particular, ...docs } = refusingErased(resource, docsOf(update));
  return {
    summary: `Update ${aOrAn(resource)}`,
    ...docs,
    description: particular === undefined ? description : `${description} ${particular}`,
  };
}

/** Returns the response of an action. */
function actionResponse(resource: Resource, { returns = resource, showsSecrets }: Action): RouteResponse {
  return { kind: 'record', resource: returns, secrets: showsSecrets ? 'always' : 'never' };
}

/** Adds the refusal of records about an erased person, which `loadPresent` throws. */
function refusingErased(resource: Resource, docs: OperationDocs): OperationDocs {
  if (!erasable.has(resource)) return docs;
  return { ...docs, refusals: [...new Set([...(docs.refusals ?? []), 'status_transition_invalid' as const])] };
}

/** Returns the part of a definition for the API docs. */
function docsOf({ summary, description, example, refusals, sensitive }: OperationDocs): OperationDocs {
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(example && { example }),
    ...(refusals && { refusals }),
    ...(sensitive !== undefined && { sensitive }),
  };
}
