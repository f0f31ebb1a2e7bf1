import { ApiError } from '../../core/errors.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import { queryReader } from './query.ts';
import type { Route, WriteRoute } from '../route.ts';
import { validator } from './validate.ts';
import type { Query } from '../route.ts';

/** Reads the query of a request in this version. Returns its parameters in the newest version. */
export type VersionedQueryReader = (version: string, url: string) => { query: Query; expand: string[] };

/** Refuses a body that is invalid in this version. The `ApiError` has the parameter's name in this version. */
export type VersionedValidator = (version: string, body: unknown) => void;

/** Returns the parameters of a route that its query does not list. */
export function suggestedOf({ expandable }: Pick<Route, 'expandable'>): string[] {
  return Object.keys(expandable?.resource.links ?? {}).length > 0 ? ['expand'] : [];
}

/** Returns the query reader of a route for each version. */
export function versionedQueryReader(
  versions: ApiVersions,
  { object, query: known, requiredQuery, expandable }: Pick<Route, 'object' | 'query' | 'requiredQuery' | 'expandable'>,
): VersionedQueryReader {
  const readerOf = madeOnce(
    versions,
    (version) => versions.propertiesIn(version, object, known),
    (parameters) => queryReader(parameters, requiredQuery, suggestedOf({ expandable })),
  );
  const withSuggestion = suggestName(versions, object, Object.keys(known));
  return (version, url) => {
    const { query, expand } = withSuggestion(version, () => readerOf(version)(url));
    const lifted = versions.convertBody(object, query, version, versions.newest);
    return { query: lifted as Query, expand };
  };
}

/** Returns the validator of a route's body for each version. */
export function versionedValidator(versions: ApiVersions, { object, body }: WriteRoute): VersionedValidator {
  const validatorOf = madeOnce(versions, (version) => versions.schemaIn(version, object, body), validator);
  const withSuggestion = suggestName(versions, object, Object.keys(body.properties));
  return (version, value) => withSuggestion(version, () => validatorOf(version)(value));
}

/**
 * Makes a value from the shape of each version. The newest version gets it at once, an older one at its first use. Versions with the same
 * shape share a value. Compiling a schema takes milliseconds, too long for all versions at a start.
 */
function madeOnce<Shape, Value>(
  { newest }: ApiVersions,
  shapeIn: (version: string) => Shape,
  make: (shape: Shape) => Value,
): (version: string) => Value {
  const ofShape = new Map<Shape, Value>();
  const ofVersion = new Map<string, Value>();
  const valueOf = (version: string): Value => {
    const shape = shapeIn(version);
    const value = ofShape.get(shape) ?? make(shape);
    ofShape.set(shape, value);
    return value;
  };
  ofVersion.set(newest, valueOf(newest));
  return (version) => {
    const known = ofVersion.get(version);
    if (known !== undefined) return known;
    const value = valueOf(version);
    ofVersion.set(version, value);
    return value;
  };
}

/** Adds the right name to the faults for parameter names of another version. */
function suggestName(versions: ApiVersions, object: string, known: readonly string[]) {
  const nameOf = (param: string, version: string): string | null => {
    for (const other of versions.dates) {
      const newest = versions.convertName(object, param, other, versions.newest);
      const name = versions.convertName(object, newest, versions.newest, version);
      if (name !== param && known.includes(newest)) return name;
    }
    return null;
  };
  const withName = (error: ApiError, version: string): ApiError => {
    const { code, param } = error;
    if (param === undefined) return error;
    const name = code === 'parameter_unknown' ? nameOf(param, version) : null;
    const message =
      name === null
        ? error.message
        : `There is no parameter \`${param}\` here. In version ${version} of this request, it is called \`${name}\`.`;
    const otherFaults = error.otherFaults?.map((fault) => withName(fault, version));
    return new ApiError(code, message, { param, ...(otherFaults && { otherFaults }) });
  };
  return <Result>(version: string, read: () => Result): Result => {
    try {
      return read();
    } catch (error) {
      throw error instanceof ApiError ? withName(error, version) : error;
    }
  };
}
