import { IsOptional, Type, type TObject, type TProperties, type TSchema } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { errorCatalogue } from '../../core/errors.ts';
import { timeOfId, type Id } from '../../core/ids.ts';
import type { Field } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { closedObject, described, named, oneOf } from '../../model/schemas/make.ts';
import { aboutAccount } from '../../model/traits/about-account.ts';
import { erasable } from '../../model/traits/erasable.ts';
import { snapshot } from '../../model/traits/snapshot.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import { displayName, type RouteResponse } from '../route.ts';
import { eventTypesOf } from './event-types.ts';
import { published, type Piece, type Use } from './published.ts';
import { findKnown } from '../../core/arrays.ts';

/** The rest of ids in examples. Its time is that of the example records. */
const exampleIdTail = '0VbZr1fe00bS0eOQrul9Xo';

/**
 * The schemas of a document by their names, in the shapes of one version. Each schema is made at its first use.
 */
export class Schemas {
  readonly #versions: ApiVersions;
  readonly #version: string;
  readonly #resources: readonly Resource[];
  readonly #made = new Map<string, { source: unknown; piece: Piece }>();

  constructor({ versions, resources }: { versions: ApiVersions; resources: readonly Resource[] }, version: string) {
    this.#versions = versions;
    this.#version = version;
    this.#resources = resources;
  }

  /** Returns all used schemas, sorted by name. */
  all(): Record<string, Piece> {
    const pieces = [...this.#made].map(([name, { piece }]) => [name, piece] as const);
    return Object.fromEntries(pieces.sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** Returns the schema of a JSON response. */
  ofResponse(response: Exclude<RouteResponse, { kind: 'file' | 'stream' }>, method: string): Piece {
    switch (response.kind) {
      case 'list':
        return this.list(nameOf(response.resource.object), this.record(response.resource));
      case 'deletion':
        return this.deletion(response.resource);
      case 'object':
      case 'objects': {
        const { name, schema, example } = response;
        const object = this.#named(name, schema, () => ({
          ...this.#shape(example.object, schema, 'response'),
          examples: [this.#older(example)],
        }));
        return response.kind === 'object' ? object : this.list(name, object);
      }
      case 'search':
        return this.#searchResult(response);
      case 'record': {
        const { resource, secrets } = response;
        // Secrets that are not stored are shown once, in the response that makes them.
        const kept = secretsOf(resource).some(([, { column }]) => column !== null);
        const shapes = [
          ...(secrets === 'always' ? [] : [this.record(resource)]),
          ...(secrets === 'always' || (secrets === 'to_writers' && kept) ? [this.recordWithSecrets(resource)] : []),
          ...(method === 'GET' && resource.delete === 'erases' ? [this.deletion(resource)] : []),
        ];
        const [first, ...others] = shapes;
        return first && others.length === 0 ? first : { anyOf: shapes };
      }
    }
  }

  /** Returns the schema of a search's response. Its items have records of several kinds. */
  #searchResult({ resources, schema, item, example }: Extract<RouteResponse, { kind: 'search' }>): Piece {
    const record = Type.Unsafe({
      description: (item.properties.record as Piece).description,
      anyOf: resources.map((resource) => this.record(resource)),
    });
    const found = this.#named('SearchHit', item, () =>
      this.#shape(example.object, closedObject({ ...item.properties, record }), 'response'),
    );
    const data = Type.Unsafe({ ...schema.properties.data, items: found });
    return this.#named('SearchResult', schema, () => ({
      ...this.#shape(example.object, closedObject({ ...schema.properties, data }), 'response'),
      examples: [this.#older(example)],
    }));
  }

  /** Returns the schema of a record without secrets, as in lists and events. */
  record(resource: Resource): Piece {
    return this.#named(nameOf(resource.object), resource.table, () =>
      snapshot.has(resource) ? this.#anyEvent(resource) : this.#recordSchema(resource, shownFields(resource), false),
    );
  }

  /** Returns the schema of a record with its secrets. It is the same as `record` if the record has none. */
  recordWithSecrets(resource: Resource): Piece {
    const secrets = secretsOf(resource);
    if (secrets.length === 0) return this.record(resource);
    return this.#named(`${nameOf(resource.object)}WithSecret`, resource.table, () =>
      this.#recordSchema(resource, [...shownFields(resource), ...secrets], true),
    );
  }

  list(name: string, items: Piece): Piece {
    const envelope = closedObject({
      object: Type.Literal('list', { description: 'The kind of the object.' }),
      count: Type.Integer({ description: 'The exact number of all records that match, on all pages.' }),
      has_more: Type.Boolean({ description: 'Whether more records follow in the direction of paging.' }),
      data: Type.Unsafe({ type: 'array', items, description: 'The records of the page.' }),
    });
    return this.#named(`${name}List`, items.$ref, () => this.#shape('list', envelope, 'response'));
  }

  /** Returns the schema of the response about a deleted record. */
  deletion(resource: Resource): Piece {
    return this.#named(`Deleted${nameOf(resource.object)}`, resource.table, () =>
      this.#shape(
        resource.object,
        closedObject({
          ...idAndObject(resource),
          deleted: Type.Unsafe({ type: 'boolean', const: true, description: 'The record was deleted.' }),
          account: Type.Optional(accountSchema),
        }),
        'response',
      ),
    );
  }

  /** Returns the schema of the record in an event of this type. */
  snapshot(resource: Resource, type: string): Piece {
    const isErasure = resource.delete === 'erases' && type.endsWith('.deleted');
    return isErasure ? this.deletion(resource) : this.record(resource);
  }

  /** Returns the schema of a request's body. `body` is in the shape of the newest version. */
  body(operationId: string, object: string, body: TObject): Piece {
    return this.#named(`${nameOf(operationId)}Body`, body, () => this.#shape(object, body, 'request'));
  }

  /** Returns the schema of a parameter in the query, which is in the shape of this version already. */
  parameter(schema: object): Piece {
    return this.#published(schema, 'request');
  }

  /** Returns the schema of the events of a type, in responses and in deliveries. */
  eventOfType(resource: Resource, type: string): Piece {
    const name = `${nameOf(type.replace('.', '_'))}Event`;
    return this.#named(name, type, () => this.#eventSchema(Type.Literal(type), this.snapshot(resource, type)));
  }

  error(): Piece {
    return this.#named('Error', errorSchema, () => this.#published(errorSchema, 'response'));
  }

  /** Converts a schema of the newest version to this one, with the names in its descriptions. */
  #shape(object: string, schema: TObject, use: Use): Piece {
    const older = this.#versions.schemaIn(this.#version, object, schema);
    return this.#published(this.#rewordedMembers(object, older), use);
  }

  #published(schema: object, use: Use): Piece {
    return published(schema, use, (name, part) => this.#named(name, JSON.stringify(part), () => part));
  }

  /** Converts the names in a text about objects of a kind to this version. */
  worded(object: string, text: string): string {
    const { newest } = this.#versions;
    return text.replace(
      /`([a-z_]+)`/g,
      (_, name: string) => `\`${this.#versions.convertName(object, name, newest, this.#version)}\``,
    );
  }

  /** Returns the example of a new record, with its secrets, as in the response that makes it. */
  newExample(resource: Resource): JsonObject | null {
    const example = this.#newestExample(resource, true);
    return example && this.#older({ ...example, ...resource.docs?.example?.before });
  }

  /** Returns the example of a delivered event. */
  deliveredExample(resource: Resource, type: string): JsonObject | null {
    const events = findKnown(this.#resources, (candidate) => snapshot.has(candidate));
    const event = this.#newestExample(events, false);
    const object = this.#newestExample(resource, false);
    const { before = {}, after = {} } = resource.docs?.example ?? {};
    if (!event || !object) return null;
    const [, verb = ''] = type.split('.');
    const different = verb === 'created' ? before : after[verb];
    const previous = verb === 'updated' ? before : null;
    const isErasure = resource.delete === 'erases' && verb === 'deleted';
    const shown = isErasure ? { id: object.id!, object: object.object!, deleted: true } : { ...object, ...different };
    const data = { object: shown, previous_attributes: previous };
    return this.#older({ ...event, type, data });
  }

  #newestExample(resource: Resource, withSecrets: boolean): JsonObject | null {
    const { docs, prefix, object } = resource;
    const example = docs?.example;
    if (!example) return null;
    const secrets = new Set(secretsOf(resource).map(([name]) => name));
    const members = Object.entries(example.record).filter(([name]) => withSecrets || !secrets.has(name));
    const id: Id = `${prefix}_${exampleIdTail}`;
    const record = { id, object, created: toSeconds(timeOfId(id)), ...Object.fromEntries(members) };
    if (!snapshot.has(resource)) return record;
    const subject = findKnown(this.#resources, (candidate) =>
      Boolean(candidate.docs?.example && eventTypesOf(candidate).length > 0),
    );
    const whole = { ...this.#newestExample(subject, false), ...subject.docs?.example?.before };
    return {
      ...record,
      type: `${subject.object}.created`,
      data: { object: whole, previous_attributes: null },
    };
  }

  /** Returns the example of a record in this version. */
  #exampleOf(resource: Resource, withSecrets: boolean): JsonObject | null {
    const example = this.#newestExample(resource, withSecrets);
    return example && this.#older(example);
  }

  #older(example: JsonObject): JsonObject {
    return this.#versions.convert(example, this.#versions.newest, this.#version);
  }

  #recordSchema(resource: Resource, fields: [string, Field][], withSecrets: boolean): Piece {
    const members: TProperties = commonMembers(resource);
    for (const [name, { schema, description }] of fields) {
      let own = schema;
      for (const [link, linked] of Object.entries(resource.links ?? {})) {
        if (link === name) own = this.#expandable(schema, linked);
        else if (link.startsWith(`${name}.`)) own = this.#expandableAt(own, link.slice(name.length + 1), linked);
      }
      const shown = Type.Unsafe({ ...own, ...(description !== undefined && { description }) });
      members[name] = IsOptional(schema) ? Type.Optional(shown) : shown;
    }
    members.account = Type.Optional(aboutAccount.has(resource) ? aboutAccountSchema : accountSchema);
    if (erasable.has(resource)) members.deleted = Type.Optional(erasedSchema);
    return {
      ...this.#shape(resource.object, closedObject(members), 'response'),
      ...this.#textsOf(resource, withSecrets),
    };
  }

  /** Returns the schema of an object, or of a list of objects, with an expandable member. */
  #expandableAt(schema: TSchema, member: string, linked: string): TSchema {
    const { items, properties = {} } = schema as { items?: TSchema; properties?: TProperties };
    if (items) return { ...schema, items: this.#expandableAt(items, member, linked) };
    return {
      ...schema,
      properties: { ...properties, [member]: this.#expandable(properties[member]!, linked) },
    };
  }

  /** Returns the description and the example of a record. */
  #textsOf(resource: Resource, withSecrets: boolean): Piece {
    const description = resource.docs?.description;
    const example = this.#exampleOf(resource, withSecrets);
    return {
      ...(description !== undefined && { description: this.worded(resource.object, description) }),
      ...(example && { examples: [snapshot.has(resource) ? { ...example, api_version: this.#version } : example] }),
    };
  }

  /** Returns the schema of any event. A client that is older than a type of event must accept the event. */
  #anyEvent(event: Resource): Piece {
    const subjects = this.#resources.flatMap((resource) =>
      eventTypesOf(resource).map(({ type }) => ({ type, schema: this.eventOfType(resource, type) })),
    );
    const known = this.#named('KnownEvent', event, () => ({
      description: 'An event of a type that this release has. `type` tells the kind of the record in its data.',
      oneOf: subjects.map(({ schema }) => schema),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(subjects.map(({ type, schema }) => [type, schema.$ref])),
      },
    }));
    const other = this.#named('OtherEvent', event, () => ({
      ...this.#eventSchema(Type.String(), { type: 'object' }),
      description: 'An event of a type that a later release has added.',
    }));
    return { ...this.#textsOf(event, false), anyOf: [known, other] };
  }

  /** Returns the schema of events with this type and this record. */
  #eventSchema(type: TSchema, record: Piece): Piece {
    const event = findKnown(this.#resources, (candidate) => snapshot.has(candidate));
    const { type: typeField, data: dataField, request } = event.fields;
    if (!typeField || !dataField || !request) throw new Error('Bug! An event lacks a member.');
    const { properties } = dataField.schema as TObject;
    const object = Type.Unsafe({
      ...record,
      description: properties.object && (properties.object as Piece).description,
    });
    const members = {
      ...commonMembers(event),
      type: described(type, typeField.description ?? ''),
      data: described(closedObject({ ...properties, object }), dataField.description ?? ''),
      request: described(request.schema, request.description ?? ''),
      account: Type.Optional(connectedAccountSchema),
      api_version: Type.Optional(eventVersionSchema),
    };
    return this.#shape('event', closedObject(members), 'response');
  }

  /** Returns the schema of a link: an id, or the record if it is expanded. */
  #expandable(schema: TSchema, path: string): TSchema {
    const target = this.#resources.find((resource) => resource.path === path);
    if (!target) return schema;
    const { items, description, ...rest } = schema as { items?: TSchema; description?: string };
    if (items) return { ...schema, items: this.#expandable(items, path) };
    const whole = [this.record(target), ...(target.delete === 'erases' ? [this.deletion(target)] : [])];
    return { ...(description !== undefined && { description }), anyOf: [rest, ...whole] };
  }

  #reworded(object: string, piece: unknown): unknown {
    if (Array.isArray(piece)) return piece.map((item) => this.#reworded(object, item));
    if (typeof piece !== 'object' || piece === null) return piece;
    return this.#rewordedMembers(object, piece);
  }

  #rewordedMembers(object: string, piece: object): Piece {
    return Object.fromEntries(
      Object.entries(piece).map(([name, value]) => [
        name,
        name === 'description' && typeof value === 'string'
          ? this.worded(object, value)
          : this.#reworded(object, value),
      ]),
    );
  }

  /**
   * Returns a `$ref` to a schema, and makes the schema once. A recursive schema finds its own name already there.
   *
   * @param source identifies what the schema is made of. Two schemas of one name have different sources.
   */
  #named(name: string, source: unknown, make: () => Piece): Piece {
    const known = this.#made.get(name);
    if (!known) {
      this.#made.set(name, { source, piece: {} });
      this.#made.set(name, { source, piece: make() });
    } else if (known.source !== source) {
      throw new Error(`Bug! Two schemas have the name ${name}. Rename one of them.`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Returns the name of the type in SDKs: `WebhookEndpoint` for `webhook_endpoint`. */
export function nameOf(object: string): string {
  return object.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the pattern of this server's ids. */
export function idPatternOf(prefix: string): string {
  return `^${prefix}_[0-9A-Za-z]{22}$`;
}

const ErrorCode = named('ErrorCode', 'The code of an error.', oneOf(...Object.keys(errorCatalogue).sort()));

const errorSchema = closedObject({
  error: closedObject({
    type: described(
      named(
        'ErrorType',
        'The type of an error.',
        oneOf(...new Set(Object.values(errorCatalogue).map(({ type }) => type))),
      ),
      'The type of the error. SDKs have a class for each type.',
    ),
    code: described(ErrorCode, 'The code of the error, for programs.'),
    message: Type.String({ description: 'What failed, why, and what to do, for people.' }),
    check: Type.Optional(
      Type.String({
        description:
          'The id of the failed check, for `check_failed`. `GET /v1/rulesets/{id}` lists the checks. Left out for other codes.',
      }),
    ),
    param: Type.Optional(
      Type.String({
        description:
          'The invalid parameter, with nested names in brackets (`metadata[order]`). Left out if the error is not about one.',
      }),
    ),
    doc_url: Type.String({ description: 'The URL of a page about the code.' }),
    request_id: Type.String({
      pattern: idPatternOf('req'),
      description: 'The id of the request, and of its log. A replay has the id of the first request.',
    }),
    approval_request: Type.Optional(
      Type.String({
        pattern: idPatternOf('apr'),
        description:
          'The id of the approval request, for `approval_required` and `approval_rejected`. Left out for other codes.',
      }),
    ),
    approval_url: Type.Optional(
      Type.String({
        description:
          'The page of the approval request in the dashboard. Left out if there is no approval request, or if the deployment has no dashboard.',
      }),
    ),
    request_log_url: Type.Optional(
      Type.String({
        description:
          'The page of the request’s log in the dashboard. Left out if the request leaves no log, or if the deployment has no dashboard.',
      }),
    ),
    errors: Type.Optional(
      Type.Array(
        named(
          'Fault',
          'A fault of a body or a query.',
          closedObject({
            code: described(ErrorCode, 'The code of the fault.'),
            param: Type.String({ description: 'The invalid parameter.' }),
            message: Type.String({ description: 'What is wrong with it, and what to do.' }),
          }),
        ),
        {
          description:
            'All faults of the body, or of the query, with one for each parameter. The first is the error itself. At most 20 are listed, in about 8 kB: further ones are left out. Left out if the server stopped at the first fault.',
        },
      ),
    ),
  }),
});

const connectedAccountSchema = Type.String({
  pattern: idPatternOf('acct'),
  description: 'The account of the event. Only in deliveries to endpoints with `connected: true`.',
});

const eventVersionSchema = Type.String({
  description:
    'The API version of the event’s contents. It is the version of the response. Left out in deliveries: their header `Service-Version` has it.',
});

const erasedSchema = Type.Unsafe({
  type: 'boolean',
  const: true,
  description: 'True if its person was erased. Left out otherwise.',
});

const accountSchema = Type.String({
  pattern: idPatternOf('acct'),
  description: 'The account of the record. Only in responses to requests with `Service-Context`.',
});

const aboutAccountSchema = Type.String({
  pattern: idPatternOf('acct'),
  description:
    'The account of the event. Left out if that is your own and the request has no `Service-Context`. Send it in `Service-Context` to retrieve the event.',
});

function commonMembers(resource: Resource): TProperties {
  return {
    ...idAndObject(resource),
    created: Type.Integer({ description: 'When it was created, in seconds since the Unix epoch.' }),
  };
}

function idAndObject({ object, prefix }: Resource): TProperties {
  return {
    id: Type.String({ pattern: idPatternOf(prefix), description: `The id of the ${displayName(object)}.` }),
    object: Type.Literal(object, { description: 'The kind of the object.' }),
  };
}

function shownFields({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(([, { shown }]) => !shown);
}

function secretsOf({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(([, { shown }]) => shown === 'as_secret');
}
