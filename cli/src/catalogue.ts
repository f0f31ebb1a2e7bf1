import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A parameter of an operation, for its flag and for `-d`. */
export interface Parameter {
  kind: 'boolean' | 'file' | 'integer' | 'json' | 'list' | 'map' | 'object' | 'string' | 'time';
  doc?: string;
  required?: true;
  /** The values of a closed set. */
  values?: string[];
  /** The members of an object. */
  members?: Record<string, Parameter>;
  /** The items of a list. */
  items?: Parameter;
}

/** An operation as a command. */
export interface Verb {
  summary: string;
  about: string;
  permission?: string;
  /** The form of the id that the command takes, such as `cus_…`. Left out if it takes none. */
  id?: string;
  /** Left out if the operation takes none. */
  params?: Record<string, Parameter>;
  /** The members of the response, or of each record of a list. */
  fields: string[];
  /** Whether the response is the bytes of a file. */
  isFile?: true;
  example?: Record<string, unknown>;
}

/** The texts and parameters of the commands. Methods and paths are in the SDK's table of operations. */
export interface Catalogue {
  /** The verbs by resource, such as `references` or `test_helpers references`. */
  resources: Record<string, Record<string, Verb>>;
  eventTypes: string[];
}

let loaded: Catalogue | undefined;

/** Reads the catalogue when a command first needs it. */
export function catalogue(): Catalogue {
  return (loaded ??= JSON.parse(
    readFileSync(join(import.meta.dirname, 'generated/catalogue.json'), 'utf8'),
  ) as Catalogue);
}
