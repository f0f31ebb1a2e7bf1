import { defineTrait } from '../trait.ts';

/**
 * The record contains another record as it was: an event. It is stored in the shape of the API version of that time. A response converts
 * it to the requested version, and names that in `api_version`.
 */
export interface Snapshot {
  /** The column with the version in whose shape the record is stored. */
  versionColumn: string;
  /** The column with the type of the event, which begins with the kind of the contained record: `reference.created`. */
  typeColumn: string;
}

export const snapshot = defineTrait<Snapshot>();
