import { Type, type TString } from 'typebox';
import { ApiError, invalidParameter, missingParameter } from '../../core/errors.ts';
import { toSeconds } from '../../core/clock.ts';
import { idLengthMax, idPattern } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { nearestName } from '../../core/nearest.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { forPersonsOnly } from '../../model/traits/for-persons-only.ts';
import { grantsRights } from '../../model/traits/grants-rights.ts';
import type { Resource } from '../../model/resource.ts';
import { aOrAn, displayName, type Route } from '../route.ts';
import { chooseAccount } from '../pipeline/account-context.ts';
import { callApi } from './call-api.ts';
import { toolInput } from './input.ts';
import { inputOfProperties, isPermitted, withoutSecrets } from './route-tools.ts';
import type { McpCall, Tool } from './tool.ts';

/** A page of ten records is enough for a model, and up to twenty stay small. */
const limitDefault = 10;
const limitMax = 20;

/** Query parameters of lists that are no filters. */
const pageParameters = new Set(['limit', 'offset', 'starting_after', 'ending_before']);

const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

const Id = (description: string): TString =>
  Type.String({ pattern: idPattern, minLength: 1, maxLength: idLengthMax, description });

/** Returns the kinds of record that tools show. Keys and members of the team are for persons. */
function shownKinds(resources: readonly Resource[]): Resource[] {
  return resources.filter((resource) => !forPersonsOnly.has(resource) && !grantsRights.has(resource));
}

/** Returns whether the connection wants records of one of these kinds, for a tool of this name. */
function isWanted({ narrowing: { names } }: McpCall, tool: string, kinds: readonly string[]): boolean {
  return names === null || names.has(tool) || kinds.some((kind) => names.has(kind));
}

const nothing = toolInput(closedObject({}));

/** Describes the key. It makes no request to the API, because every key may know that. */
export const whoami: Tool = {
  name: 'whoami',
  isWrite: false,
  kinds: [],
  describe: () => ({
    name: 'whoami',
    title: 'Identify the key',
    description:
      'Returns the API key of this connection with its permissions, the account that the tools act on, the API version, and the time of the server.',
    inputSchema: nothing.listed,
    annotations: readOnly,
  }),
  async run({ context, known }, input) {
    nothing.read(input);
    const { principal } = known;
    const { id, name } = await chooseAccount(context, known);
    return {
      object: {
        key: {
          id: principal.id,
          type: principal.key!.type,
          name: principal.name,
          permissions: [...principal.permissions].sort(),
          expires_at: principal.expiresAt,
        },
        account: { id, name },
        mode: context.config.mode,
        api_version: known.version,
        now: toSeconds(context.clock.nowMs()),
      },
    };
  },
};

/** Returns the tool that reads a record of any kind by its id. */
export function retrieveTool(resources: readonly Resource[], routes: readonly Route[]): Tool {
  const input = toolInput(closedObject({ id: Id('The id, such as `ref_…` or `evt_…`.') }));
  const kinds = shownKinds(resources).flatMap((resource) => {
    const route = routes.find(({ operationId }) => operationId === `${resource.path}_retrieve`);
    return route ? [{ resource, route }] : [];
  });
  const kindsOf = (call: McpCall): typeof kinds =>
    kinds.filter(
      ({ resource, route }) => isPermitted(route, call.known) && isWanted(call, 'retrieve', [resource.path]),
    );
  return {
    name: 'retrieve',
    isWrite: false,
    kinds: kinds.map(({ resource }) => resource.path),
    describe(call) {
      const known = kindsOf(call);
      if (known.length === 0) return null;
      return {
        name: 'retrieve',
        title: 'Retrieve a record',
        description: `Returns one record by its id, as it is now. The id begins with the prefix of its kind: ${known
          .map(({ resource }) => `${resource.prefix}_ (${displayName(resource.object)})`)
          .join(', ')}.`,
        inputSchema: input.listed,
        annotations: readOnly,
      };
    },
    async run(call, sent) {
      const { id } = input.read(sent);
      // A key without the permission gets the API's error.
      const found = kinds.find(({ resource }) => id.startsWith(`${resource.prefix}_`));
      if (!found || !isWanted(call, 'retrieve', [found.resource.path])) throw unknownPrefix(id);
      const { object } = await callApi(call, { method: 'GET', path: found.route.path.replace(':id', id) });
      return { object: withoutSecrets(call.context, found.resource, call.known.version, object) };
    },
  };
}

function unknownPrefix(id: string): ApiError {
  const [prefix = ''] = id.split('_', 1);
  return new ApiError(
    'resource_missing',
    `No kind of record that this tool shows has ids that begin with \`${prefix.slice(0, 20)}_\`. Send the id of a record of this API.`,
    { param: 'id' },
  );
}

/** A list of the API. */
interface List {
  route: Route;
  /** The kind of its records, such as `deliveries`. */
  name: string;
  /** The kind of the record that the records belong to, such as an event. Null for a list of its own. */
  owners: Resource | null;
  /** The kinds by which a connection asks for it. */
  kinds: readonly string[];
}

/** Returns every list of these kinds of record. */
function listsOf(resources: readonly Resource[], routes: readonly Route[]): List[] {
  const kinds = shownKinds(resources);
  return routes.flatMap((route) => {
    const { response, path } = route;
    if (response.kind !== 'list' || !kinds.includes(response.resource)) return [];
    const owners = resources.find((resource) => path.startsWith(`/v1/${resource.path}/:id/`)) ?? null;
    const name = response.resource.path;
    return [{ route, name, owners, kinds: owners ? [name, owners.path] : [name] }];
  });
}

const listInput = toolInput(
  closedObject({
    resource: Type.String({ maxLength: 100, description: 'The kind of record.' }),
    of: Type.Optional(Id('Lists the records that belong to this one, for kinds that need it.')),
    filters: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
        description: 'Only records with these values, such as {"status": "pending"} or {"created[gte]": 1790000000}.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limitMax,
        description: `The number of records, by default ${limitDefault}.`,
      }),
    ),
    starting_after: Type.Optional(Id('The page after the record with this id.')),
  }),
);

/** Returns the tool that lists records of any kind. */
export function listTool(resources: readonly Resource[], routes: readonly Route[]): Tool {
  const lists = listsOf(resources, routes);
  const wantedBy = (call: McpCall): List[] => lists.filter(({ kinds }) => isWanted(call, 'list', kinds));
  const permittedTo = (call: McpCall): List[] => wantedBy(call).filter(({ route }) => isPermitted(route, call.known));
  return {
    name: 'list',
    isWrite: false,
    kinds: [...new Set(lists.flatMap(({ kinds }) => kinds))],
    describe(call) {
      const known = permittedTo(call);
      if (known.length === 0) return null;
      const resource = { type: 'string', enum: namesOf(known), description: 'The kind of record.' };
      const filters = known.map((list) => filtersOf(call, list)).join('');
      return {
        name: 'list',
        title: 'List records',
        description: `Returns a page of records, the newest first, with the exact count of all. Filters:${filters} all kinds: created[gt], created[gte], created[lt], created[lte] (seconds).`,
        inputSchema: {
          ...listInput.listed,
          properties: { ...(listInput.listed.properties as JsonObject), resource },
        },
        annotations: readOnly,
      };
    },
    async run(call, sent) {
      const { resource, of, filters = {}, limit = limitDefault, starting_after: after } = listInput.read(sent);
      const named = wantedBy(call).filter(({ name }) => name === resource);
      if (named.length === 0) throw unknownKind(resource, namesOf(permittedTo(call)));
      const list = named.find(({ owners }) =>
        owners && of !== undefined ? of.startsWith(`${owners.prefix}_`) : !owners && of === undefined,
      );
      if (!list) throw wrongOwner(named, of);
      return callApi(call, {
        method: 'GET',
        path: list.route.path.replace(':id', of ?? ''),
        query: {
          ...textsOf(filters),
          limit: String(limit),
          ...(after !== undefined && { starting_after: after }),
        },
      });
    },
  };
}

function namesOf(lists: readonly List[]): string[] {
  return [...new Set(lists.map(({ name }) => name))];
}

/** Returns the filters of a list in the version of the call, for the description. */
function filtersOf({ context, known }: McpCall, { route, name, owners }: List): string {
  const parameters = Object.keys(context.versions.propertiesIn(known.version, route.object, route.query));
  const own = parameters.filter((each) => !pageParameters.has(each) && !each.startsWith('created['));
  const parts = [...(owners ? [`of (${aOrAn(owners)})`] : []), ...own];
  return parts.length === 0 ? '' : ` ${name}: ${parts.join(', ')};`;
}

function wrongOwner(lists: readonly List[], of: string | undefined): ApiError {
  const wanted = lists
    .flatMap(({ owners }) => (owners ? [`${aOrAn(owners)} (\`${owners.prefix}_…\`)`] : []))
    .join(' or ');
  if (wanted === '') return invalidParameter('of', '`of` is only for kinds that belong to others. Leave it out.');
  return of === undefined
    ? missingParameter('of', `\`of\` is missing. Send the id of ${wanted}.`)
    : invalidParameter('of', `\`of\` must be the id of ${wanted}.`);
}

function unknownKind(name: string, known: readonly string[]): ApiError {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? `Send one of ${known.join(', ')}.` : `Did you mean \`${nearest}\`?`;
  return invalidParameter('resource', `\`resource\` names no kind of record that this key can list. ${hint}`);
}

/** Returns the tool for the requests, events and attempts by time. */
export function activityTool(route: Route): Tool {
  return {
    name: 'activity',
    isWrite: false,
    kinds: ['activity'],
    describe(call) {
      if (!isPermitted(route, call.known)) return null;
      return {
        name: 'activity',
        title: 'Count requests, events and deliveries',
        description:
          'Returns the numbers of requests, events and delivery attempts by time, and how long the latest ones took. By default: the last 24 hours.',
        inputSchema: inputOfProperties(call.context, call.known.version, route.object, route.query),
        annotations: readOnly,
      };
    },
    run: (call, input) => callApi(call, { method: 'GET', path: route.path, query: textsOf(input) }),
  };
}

/** Returns the values of a query as texts. The API refuses what it does not know. */
function textsOf(values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
