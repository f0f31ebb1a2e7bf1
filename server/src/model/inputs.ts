import { Type, type TSchema } from 'typebox';
import type { JsonObject } from '../core/json-diff.ts';
import type { Caller } from './callers/caller.ts';
import type { Fields, FieldsOf, Input, StoredRecord } from './record.ts';
import type { Create, OperationDocs, Update } from './resource.ts';
import { closedObject, nullable } from './schemas/make.ts';

/** Defines the creation of a record from the `input` and `initial` of its fields. */
export function createFromFields<R extends StoredRecord>(fields: Fields, docs: OperationDocs = {}): Create<R> {
  const inputs = inputsOf(fields, ['create', 'both']);
  return {
    ...docs,
    body: closedObject(membersOf(inputs, (member, { required }) => (required ? member : optional(member)))),
    decide(body: JsonObject, caller) {
      const values = Object.entries(fields).flatMap(([name, { initial, input }]) => {
        if (input) return [[name, accepted(input, body[name], caller)]];
        return initial === undefined ? [] : [[name, initial]];
      });
      return Object.fromEntries(values) as FieldsOf<R>;
    },
  };
}

/** Defines the update of a record from the `input` of its fields. Fields that a body leaves out stay as they are. */
export function updateFromFields<R extends StoredRecord>(fields: Fields, docs: OperationDocs = {}): Update<R> {
  const inputs = inputsOf(fields, ['both']);
  return {
    ...docs,
    body: closedObject(
      membersOf(inputs, (member, { required }) => (required ? Type.Optional(member) : optional(member))),
    ),
    decide(current, body: JsonObject, caller) {
      const sent = inputs.filter(([name]) => body[name] !== undefined);
      const values = sent.map(([name, input]) => [name, accepted(input, body[name], caller)]);
      return { after: { ...current, ...Object.fromEntries(values) } };
    },
  };
}

type NamedInput = [name: string, input: Input, schema: TSchema];

function inputsOf(fields: Fields, on: Input['on'][]): NamedInput[] {
  return Object.entries(fields).flatMap(([name, { input, schema }]): NamedInput[] =>
    input && on.includes(input.on) ? [[name, input, input.schema ?? schema]] : [],
  );
}

function membersOf(inputs: NamedInput[], as: (member: TSchema, input: Input) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(inputs.map(([name, input, schema]) => [name, as(schema, input)]));
}

function optional(member: TSchema): TSchema {
  return Type.Optional(nullable(member));
}

function accepted(input: Input, value: unknown, caller: Caller): unknown {
  const given = value ?? input.default ?? null;
  return input.check ? input.check(given, caller) : given;
}
