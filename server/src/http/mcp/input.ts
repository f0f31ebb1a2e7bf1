import type { Static, TObject } from 'typebox';
import type { JsonObject } from '../../core/json-diff.ts';
import { validator } from '../body/validate.ts';

/** The input of a tool that is no operation of the API. */
export interface ToolInput<Schema extends TObject> {
  /** The schema, as a client sees it. */
  listed: { type: 'object' } & Record<string, unknown>;
  /** @throws {ApiError} for an invalid input, as the API does for a body. */
  read(input: JsonObject): Static<Schema>;
}

/** Returns the input that a schema describes. */
export function toolInput<Schema extends TObject>(schema: Schema): ToolInput<Schema> {
  const validate = validator(schema);
  return {
    listed: JSON.parse(JSON.stringify(schema)) as ToolInput<Schema>['listed'],
    read(input) {
      validate(input);
      return input as Static<Schema>;
    },
  };
}
