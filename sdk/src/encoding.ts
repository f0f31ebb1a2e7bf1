/** Parameters of a call, as the caller gives them. */
export type Params = Record<string, unknown>;

/** The largest file that the server takes. */
const fileBytesMax = 10 * 1024 * 1024;

/**
 * Puts an id into a path.
 *
 * @throws {TypeError} if the id could lead to another path.
 */
export function pathWithId(path: string, id: unknown): string {
  if (typeof id !== 'string') throw new TypeError(`The id must be a string, but it is ${kindOf(id)}.`);
  if (id === '') throw new TypeError('The id is empty. The request would reach the list instead.');
  if (id === '.' || /[/\\]|\.\.|[\ud800-\udfff]/u.test(id)) {
    throw new TypeError('The id must not have `/`, `\\`, `..` or half a character. It could lead to another path.');
  }
  return path.replace('{id}', () => encodeURIComponent(id));
}

/** Checks a path that the caller wrote. Throws a `TypeError` if it could lead to another server or out of the API. */
export function checkedPath(path: unknown): string {
  const isPath = typeof path === 'string' && /^\/[\x21-\x7e]*$/.test(path) && !/^\/\/|[\\#]/.test(path);
  if (isPath && !/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path.replace(/\?.*/, ''))) return path;
  throw new TypeError(
    'The path must begin with one `/`, and have no `\\`, `#`, `.` or `..` segment or space. Encode these.',
  );
}

/**
 * Adds parameters to a path as its query. Lists are joined with commas. Members of an object are in brackets: `created[gte]`. A parameter
 * that is undefined is left out. Null becomes empty, which the server refuses: a filter must not vanish.
 */
export function withQuery(path: string, params: Params): string {
  const query = new URLSearchParams(flattened(params).map(([name, value]) => [name, String(value)])).toString();
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Returns parameters as JSON. Throws a `TypeError` if they are no object. */
export function jsonBody(params: Params): string {
  return JSON.stringify(checkedParams(params));
}

/**
 * Returns parameters as a form.
 *
 * @throws {TypeError} if a file is larger than the server takes.
 */
export function formBody(params: Params): FormData {
  const form = new FormData();
  const { file, ...fields } = checkedParams(params);
  if (!(file instanceof Blob)) {
    throw new TypeError(
      `\`file\` must be a Blob or a File, but it is ${kindOf(file)}. In Node, \`await openAsBlob(path)\` of the module \`fs\` makes one.`,
    );
  }
  if (file.size > fileBytesMax) {
    throw new TypeError(`\`file\` has ${file.size} bytes. A file can have up to ${fileBytesMax} (10 MB).`);
  }
  for (const [name, value] of flattened(fields)) form.append(name, String(value));
  form.append('file', file, 'name' in file ? String(file.name) : 'file');
  return form;
}

/** Returns the parameters of a call, or none if the caller gave none. */
export function checkedParams(params: unknown = {}): Params {
  if (typeof params === 'object' && params !== null && !Array.isArray(params)) return params as Params;
  throw new TypeError(`The parameters must be an object, but they are ${kindOf(params)}.`);
}

/** Returns the names and values of a query or a form. */
function flattened(params: Params): [name: string, value: unknown][] {
  // JSON leaves out what is undefined, and turns dates into texts.
  return pairsOf(JSON.parse(jsonBody(params)) as Params, (name) => name);
}

function pairsOf(members: Params, nameOf: (name: string) => string): [string, unknown][] {
  return Object.entries(members).flatMap(([member, value]): [string, unknown][] => {
    const name = nameOf(member);
    if (typeof value !== 'object' || value === null) return [[name, value ?? '']];
    if (Array.isArray(value)) return [[name, value.join(',')]];
    return pairsOf(value as Params, (inner) => `${name}[${inner}]`);
  });
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'another object' : `a ${typeof value}`;
}
