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
import { displayName, type RouteAnswer } from '../route.ts';
import { eventTypesOf } from './event-types.ts';

/** A piece of a document: plain JSON once it is written. */
export type Piece = Record<string, unknown>;

/** Of an id in an example; its time is the one that records of examples were made at. */
const exampleIdTail = '_0VbZr1fe00bS0eOQrul9Xo';

/**
 * The schemas of a document by their names, in the shapes of one version. They are made when they are first referred to. Objects are
 * closed: what is not told is not answered.
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

  /** All that were referred to, by their names in order. */
  all(): Record<string, Piece> {
    return Object.fromEntries([...this.#made].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** What a route answers, where that is JSON. */
  ofAnswer(answer: Exclude<RouteAnswer, { kind: 'file' | 'stream' }>, method: string): Piece {
    switch (answer.kind) {
      case 'list':
        return this.list(nameOf(answer.resource.object), this.record(answer.resource));
      case 'deletion':
        return this.deletion(answer.resource);
      case 'object':
      case 'objects': {
        const { name, schema, example } = answer;
        const object = this.#named(name, () => ({
          ...this.inVersion(example.object as string, schema),
          examples: [this.#older(example)],
        }));
        return answer.kind === 'object' ? object : this.list(name, object);
      }
      case 'record': {
        const { resource, secrets } = answer;
        // Those that are not kept are shown once, by the answer that makes them.
        const kept = secretsOf(resource).some(([, { column }]) => column !== null);
        const shapes = [
          ...(secrets === 'always' ? [] : [this.record(resource)]),
          ...(secrets === 'always' || (secrets === 'to_writers' && kept) ? [this.recordWithSecrets(resource)] : []),
          ...(method === 'GET' && resource.delete === 'erases' ? [this.deletion(resource)] : []),
        ];
        return shapes.length === 1 ? shapes[0]! : { anyOf: shapes };
      }
    }
  }

  /** A record as lists and events show it, and all who see no secrets. */
  record(resource: Resource): Piece {
    return this.#named(nameOf(resource.object), () => this.#recordSchema(resource, shownFields(resource), false));
  }

  /** A record with its secrets; the very same if it has none. */
  recordWithSecrets(resource: Resource): Piece {
    const secrets = secretsOf(resource);
    if (secrets.length === 0) return this.record(resource);
    return this.#named(`${nameOf(resource.object)}WithSecret`, () =>
      this.#recordSchema(resource, [...shownFields(resource), ...secrets], true),
    );
  }

  list(name: string, items: Piece): Piece {
    const envelope = closedObject({
      object: described(oneOf('list'), 'What kind of object it is.'),
      count: Type.Integer({ description: 'How many there are in all, on this page and on others; exact.' }),
      has_more: Type.Boolean({ description: 'Whether there are more in the direction that is paged.' }),
      data: Type.Unsafe({ type: 'array', items, description: 'The page.' }),
    });
    return this.#named(`${name}List`, () => this.inVersion('list', envelope));
  }

  /** What is answered about a record that is gone. */
  deletion(resource: Resource): Piece {
    return this.#named(`Deleted${nameOf(resource.object)}`, () =>
      this.inVersion(
        resource.object,
        closedObject({
          ...idAndObject(resource),
          deleted: Type.Unsafe({ type: 'boolean', const: true, description: 'It is gone.' }),
          account: Type.Optional(accountSchema),
        }),
      ),
    );
  }

  /** What an event of this type tells of a record. */
  snapshot(resource: Resource, type: string): Piece {
    const isErasure = resource.delete === 'erases' && type.endsWith('.deleted');
    return isErasure ? this.deletion(resource) : this.record(resource);
  }

  /** The body of a request, in the shape of the newest version. */
  body(operationId: string, object: string, body: TObject): Piece {
    return this.#named(`${nameOf(operationId)}Body`, () => this.inVersion(object, body));
  }

  /** The body of a delivery: an event as webhook endpoints get it. */
  deliveredEvent(): Piece {
    const event = this.#resources.find((candidate) => snapshot.has(candidate))!;
    const account = Type.String({
      description: 'The account that the event belongs to: on endpoints with `connected: true`.',
    });
    return this.#named('DeliveredEvent', () => {
      const members = { ...commonMembers(event), ...this.#eventMembers(event), account: Type.Optional(account) };
      return this.#eventSchema(members);
    });
  }

  /** Every type of event there is. */
  eventType(): Piece {
    return this.#named('EventType', () => ({
      type: 'string',
      enum: this.#resources.flatMap((resource) => eventTypesOf(resource).map(({ type }) => type)),
      description: 'What happened: `<resource>.<verb>`. There may be more in later releases.',
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
            description: 'The class of the error: what an SDK has a class for.',
          }),
          code: Type.Unsafe({ type: 'string', enum: codes, description: 'What went wrong: a word for programs.' }),
          message: Type.String({ description: 'For the person who must act: what failed, on what, and what to try.' }),
          param: Type.Optional(
            Type.String({
              description:
                'The parameter at fault, nested ones in brackets (`metadata[order]`); left out if it is none.',
            }),
          ),
          doc_url: Type.String({ description: 'A page about the code.' }),
          request_id: Type.String({
            pattern: idPatternOf('req'),
            description:
              'The id of the request that was carried out or refused, and of its log. A replay has the first one’s.',
          }),
        }),
      }),
    }));
  }

  /** A schema of the newest version as this one has it, with the names of this one in its descriptions. */
  inVersion(object: string, schema: TObject): Piece {
    const older = this.#versions.schemaIn(this.#version, object, schema);
    return this.#reworded(object, older) as Piece;
  }

  /** Text about objects of a kind, in the words of this version. */
  worded(object: string, text: string): string {
    const { newest } = this.#versions;
    return text.replace(
      /`([a-z_]+)`/g,
      (_, name: string) => `\`${this.#versions.convertName(object, name, newest, this.#version)}\``,
    );
  }

  /** A record of examples when it was new: with its secrets, as the answer that makes it. */
  newExample(resource: Resource): JsonObject | null {
    const example = this.#newestExample(resource, true);
    return example && this.#older({ ...example, ...resource.docs?.example?.before });
  }

  /** An event of examples, as it is delivered. */
  deliveredExample(resource: Resource, type: string): JsonObject | null {
    const events = this.#resources.find((candidate) => snapshot.has(candidate))!;
    const event = this.#newestExample(events, false);
    const object = this.#newestExample(resource, false);
    const { before = {}, after = {} } = resource.docs?.example ?? {};
    if (!event || !object) return null;
    const verb = type.split('.')[1]!;
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
    const id = prefix + exampleIdTail;
    const record = { id, object, created: toSeconds(timeOfId(id as Id)), ...Object.fromEntries(members) };
    if (!snapshot.has(resource)) return record;
    const subject = this.#resources.find((candidate) => candidate.docs?.example && eventTypesOf(candidate).length > 0)!;
    const whole = { ...this.#newestExample(subject, false), ...subject.docs!.example!.before };
    return {
      ...record,
      type: `${subject.object}.created`,
      data: { object: whole, previous_attributes: null },
    };
  }

  /** A record of examples, as this version shows it. */
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
      const told = Type.Unsafe({ ...own, ...(description !== undefined && { description }) });
      members[name] = IsOptional(schema) ? Type.Optional(told) : told;
    }
    const isEvent = snapshot.has(resource);
    if (isEvent) {
      const version = Type.String({ description: 'The version whose shape it has: the one of this answer.' });
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

  /** The parts of an event have names of their own, because events are shown by answers and by deliveries. */
  #eventSchema(members: TProperties): Piece {
    const event = this.inVersion('event', closedObject(members));
    const properties = event.properties as Record<string, Piece>;
    const named = ['data', 'request'].filter((name) => properties[name]!.type === 'object');
    const refs = named.map((name) => [name, this.#named(`Event${nameOf(name)}`, () => properties[name]!)]);
    return { ...event, properties: { ...properties, ...Object.fromEntries(refs) } };
  }

  /** What is particular of an event: the types there are, and the records they can be about. */
  #eventMembers({ fields }: Resource): TProperties {
    const subjects = this.#resources.filter((resource) => eventTypesOf(resource).length > 0);
    const refs = subjects.map((resource) => this.record(resource));
    const { properties } = fields.data!.schema as TObject;
    const object = {
      description: (properties.object as Piece).description,
      oneOf: [...refs, ...subjects.filter((one) => one.delete === 'erases').map((one) => this.deletion(one))],
      discriminator: {
        propertyName: 'object',
        mapping: Object.fromEntries(subjects.map((resource, index) => [resource.object, refs[index]!.$ref])),
      },
    };
    const data = closedObject({ ...properties, object: Type.Unsafe(object) });
    return {
      type: Type.Unsafe(this.eventType()),
      data: Type.Unsafe({ ...data, description: fields.data!.description }),
      request: Type.Unsafe({ ...fields.request!.schema, description: fields.request!.description }),
    };
  }

  /** An id, or the whole record where the client asks for it with `expand`. */
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
    return Object.fromEntries(
      Object.entries(piece).map(([name, value]) => [
        name,
        name === 'description' && typeof value === 'string'
          ? this.worded(object, value)
          : this.#reworded(object, value),
      ]),
    );
  }

  /** A reference to a schema that is made once; one that refers to itself finds its name taken already. */
  #named(name: string, make: () => Piece): Piece {
    if (!this.#made.has(name)) {
      this.#made.set(name, {});
      this.#made.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** `webhook_endpoint` as SDKs call the type: `WebhookEndpoint`. */
export function nameOf(object: string): string {
  return object.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** What an id of this server looks like. */
export function idPatternOf(prefix: string): string {
  return `^${prefix}_[0-9A-Za-z]{22}$`;
}

const erasedSchema = Type.Unsafe({
  type: 'boolean',
  const: true,
  description: 'The person it is about was erased. Left out otherwise.',
});

const accountSchema = Type.String({
  pattern: idPatternOf('acct'),
  description: 'The account that it belongs to. Only in answers to requests with `Service-Context`.',
});

const aboutAccountSchema = Type.String({
  pattern: idPatternOf('acct'),
  description:
    'The account of the event. Left out where that is your own, unless the request has `Service-Context`. Send it in `Service-Context` to find the event.',
});

function commonMembers(resource: Resource): TProperties {
  return {
    ...idAndObject(resource),
    created: Type.Integer({ description: 'When it was made, in seconds since the Unix epoch.' }),
  };
}

function idAndObject({ object, prefix }: Resource): TProperties {
  return {
    id: Type.String({ pattern: idPatternOf(prefix), description: `The id of the ${displayName(object)}.` }),
    object: described(oneOf(object), 'What kind of object it is.'),
  };
}

function shownFields({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(([, { shown }]) => !shown);
}

function secretsOf({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(([, { shown }]) => shown === 'as_secret');
}
