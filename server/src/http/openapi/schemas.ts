import { IsOptional, Type, type TObject, type TProperties, type TSchema } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { errorCatalogue } from '../../core/errors.ts';
import { timeOfId, type Id } from '../../core/ids.ts';
import type { Field } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { closedObject, described, oneOf } from '../../model/schemas.ts';
import { aboutAccount } from '../../model/traits/about-account.ts';
import { erasable } from '../../model/traits/erasable.ts';
import { snapshot } from '../../model/traits/snapshot.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import { displayName, type RouteResponse } from '../route.ts';
import { eventTypesOf } from './event-types.ts';
import { findKnown } from '../../core/lists.ts';

/** A piece of a document. It becomes plain JSON. */
export type Piece = Record<string, unknown>;

/** The rest of ids in examples. Its time is that of the example records. */
const exampleIdTail = '0VbZr1fe00bS0eOQrul9Xo';

/**
 * The schemas of a document by their names, in the shapes of one version. Each schema is made at its first use. Objects are closed:
 * responses have no other members.
 */
export class Schemas {
  readonly #versions: ApiVersions;
  readonly #version: string;
  readonly #resources: readonly Resource[];
  readonly #made = new Map<string, Piece>();

  constructor({ versions, resources }: { versions: ApiVersions; resources: readonly Resource[] }, version: string) {
    this.#versions = versions;
    this.#version = version;
    this.#resources = resources;
  }

  /** Returns all used schemas, sorted by name. */
  all(): Record<string, Piece> {
    return Object.fromEntries([...this.#made].sort(([left], [right]) => (left < right ? -1 : 1)));
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
        const object = this.#named(name, () => ({
          ...this.inVersion(example.object, schema),
          examples: [this.#older(example)],
        }));
        return response.kind === 'object' ? object : this.list(name, object);
      }
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

  /** Returns the schema of a record without secrets, as in lists and events. */
  record(resource: Resource): Piece {
    return this.#named(nameOf(resource.object), () => this.#recordSchema(resource, shownFields(resource), false));
  }

  /** Returns the schema of a record with its secrets. It is the same as `record` if the record has none. */
  recordWithSecrets(resource: Resource): Piece {
    const secrets = secretsOf(resource);
    if (secrets.length === 0) return this.record(resource);
    return this.#named(`${nameOf(resource.object)}WithSecret`, () =>
      this.#recordSchema(resource, [...shownFields(resource), ...secrets], true),
    );
  }

  list(name: string, items: Piece): Piece {
    const envelope = closedObject({
      object: described(oneOf('list'), 'The kind of the object.'),
      count: Type.Integer({ description: 'The exact number of all records that match, on all pages.' }),
      has_more: Type.Boolean({ description: 'Whether more records follow in the direction of paging.' }),
      data: Type.Unsafe({ type: 'array', items, description: 'The records of the page.' }),
    });
    return this.#named(`${name}List`, () => this.inVersion('list', envelope));
  }

  /** Returns the schema of the response about a deleted record. */
  deletion(resource: Resource): Piece {
    return this.#named(`Deleted${nameOf(resource.object)}`, () =>
      this.inVersion(
        resource.object,
        closedObject({
          ...idAndObject(resource),
          deleted: Type.Unsafe({ type: 'boolean', const: true, description: 'The record was deleted.' }),
          account: Type.Optional(accountSchema),
        }),
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
    return this.#named(`${nameOf(operationId)}Body`, () => this.inVersion(object, body));
  }

  /** Returns the schema of a delivery's body: an event as webhook endpoints receive it. */
  deliveredEvent(): Piece {
    const event = findKnown(this.#resources, (candidate) => snapshot.has(candidate));
    const account = Type.String({
      description: 'The account of the event. Only for endpoints with `connected: true`.',
    });
    return this.#named('DeliveredEvent', () => {
      const members = { ...commonMembers(event), ...this.#eventMembers(event), account: Type.Optional(account) };
      return this.#eventSchema(members);
    });
  }

  /** Returns the schema of all event types. */
  eventType(): Piece {
    return this.#named('EventType', () => ({
      type: 'string',
      enum: this.#resources.flatMap((resource) => eventTypesOf(resource).map(({ type }) => type)),
      description: 'The type of the event: `<resource>.<verb>`. Later releases may add types.',
    }));
  }

  error(): Piece {
    const codes = Object.keys(errorCatalogue).sort();
    return this.#named('Error', () => ({
      ...closedObject({
        error: closedObject({
          type: Type.Unsafe({
            type: 'string',
            enum: [...new Set(Object.values(errorCatalogue).map(({ type }) => type))].sort(),
            description: 'The type of the error. SDKs have a class for each type.',
          }),
          code: Type.Unsafe({ type: 'string', enum: codes, description: 'The code of the error, for programs.' }),
          message: Type.String({ description: 'What failed, why, and what to do, for people.' }),
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
        }),
      }),
    }));
  }

  /** Converts a schema of the newest version to this one, with the names in its descriptions. */
  inVersion(object: string, schema: TObject): Piece {
    const older = this.#versions.schemaIn(this.#version, object, schema);
    return this.#rewordedMembers(object, older);
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
      const linked = resource.links?.[name];
      const own = linked === undefined ? schema : this.#expandable(schema, linked);
      const shown = Type.Unsafe({ ...own, ...(description !== undefined && { description }) });
      members[name] = IsOptional(schema) ? Type.Optional(shown) : shown;
    }
    const isEvent = snapshot.has(resource);
    if (isEvent) {
      const version = Type.String({ description: 'The version of its shape, which is that of the response.' });
      Object.assign(members, this.#eventMembers(resource), { api_version: version });
    } else {
      members.account = Type.Optional(aboutAccount.has(resource) ? aboutAccountSchema : accountSchema);
      if (erasable.has(resource)) members.deleted = Type.Optional(erasedSchema);
    }
    const schema = isEvent ? this.#eventSchema(members) : this.inVersion(resource.object, closedObject(members));
    const description = resource.docs?.description;
    const example = this.#exampleOf(resource, withSecrets);
    return {
      ...schema,
      ...(description !== undefined && { description: this.worded(resource.object, description) }),
      ...(example && { examples: [isEvent ? { ...example, api_version: this.#version } : example] }),
    };
  }

  /** Returns the schema of an event. Its parts have names, because responses and deliveries share them. */
  #eventSchema(members: TProperties): Piece {
    const event = this.inVersion('event', closedObject(members));
    const properties = event.properties as Record<string, Piece>;
    const named = Object.entries(properties).filter(
      ([name, { type }]) => ['data', 'request'].includes(name) && type === 'object',
    );
    const refs = named.map(([name, schema]) => [name, this.#named(`Event${nameOf(name)}`, () => schema)]);
    return { ...event, properties: { ...properties, ...Object.fromEntries(refs) } };
  }

  /** Returns the members of an event: its types, and the records in its data. */
  #eventMembers({ fields: { data: dataField, request } }: Resource): TProperties {
    if (!dataField || !request) throw new Error('Bug! An event has no data or no request.');
    const subjects = this.#resources.filter((resource) => eventTypesOf(resource).length > 0);
    const refs = subjects.map((resource) => ({ object: resource.object, ref: this.record(resource) }));
    const { properties } = dataField.schema as TObject;
    const object = {
      description: (properties.object as Piece).description,
      oneOf: [
        ...refs.map(({ ref }) => ref),
        ...subjects.filter((one) => one.delete === 'erases').map((one) => this.deletion(one)),
      ],
      discriminator: {
        propertyName: 'object',
        mapping: Object.fromEntries(refs.map(({ object: name, ref }) => [name, ref.$ref])),
      },
    };
    const data = closedObject({ ...properties, object: Type.Unsafe(object) });
    return {
      type: Type.Unsafe(this.eventType()),
      data: Type.Unsafe({ ...data, description: dataField.description }),
      request: Type.Unsafe({ ...request.schema, description: request.description }),
    };
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

  /** Returns a `$ref` to a schema, and makes the schema once. A recursive schema finds its own name already there. */
  #named(name: string, make: () => Piece): Piece {
    if (!this.#made.has(name)) {
      this.#made.set(name, {});
      this.#made.set(name, make());
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
    object: described(oneOf(object), 'The kind of the object.'),
  };
}

function shownFields({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(([, { shown }]) => !shown);
}

function secretsOf({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(([, { shown }]) => shown === 'as_secret');
}
