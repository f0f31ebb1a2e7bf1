import { checkedParams, formBody, jsonBody, pathWithId, withQuery, type Params } from './encoding.ts';
import { EventStream } from './event-stream.ts';
import type { Operation, OperationTable } from './generated/operations.ts';
import { ListPromise, type List } from './lists.ts';
import { readJson, TenurePromise, type ApiResponse, type RequestOptions, type Transport } from './transport.ts';

type Method = (...given: unknown[]) => unknown;

/** Methods by resource, such as `references.create`. */
export interface Methods {
  [name: string]: Method | Methods;
}

/** Makes a method for each operation of the table. */
export function makeMethods(table: OperationTable, transport: Transport): Methods {
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]): [string, Method | Methods] => [
      name,
      isOperation(entry) ? makeMethod(entry, transport) : makeMethods(entry, transport),
    ]),
  );
}

function isOperation(entry: Operation | OperationTable): entry is Operation {
  return typeof entry.path === 'string';
}

/** Makes a method. It takes the id of the path, the parameters and the options, in this order. Deletions have no parameters, and few files have some. */
function makeMethod(operation: Operation, transport: Transport): Method {
  const hasId = operation.path.includes('{id}');
  const hasParams = operation.method !== 'DELETE' && (operation.answer !== 'file' || operation.query !== undefined);
  return (...given) => {
    const id = hasId ? given.shift() : undefined;
    const params = hasParams ? given.shift() : undefined;
    return call(operation, transport, { id, params, options: given[0] as RequestOptions | undefined });
  };
}

interface Given {
  id: unknown;
  params: unknown;
  options: RequestOptions | undefined;
}

/** Carries out an operation. Wrong arguments fail the promise, and nothing is sent. */
function call(operation: Operation, transport: Transport, { id, params, options = {} }: Given): unknown {
  const { method, answer, body } = operation;
  const path = (): string =>
    id === undefined && !operation.path.includes('{id}') ? operation.path : pathWithId(operation.path, id);
  switch (answer) {
    case 'list': {
      const fetchPage = async (query: Params): Promise<ApiResponse<List<unknown>>> =>
        transport.send({ method, path: withQuery(path(), query) }, options, readJson as ReadList);
      return new ListPromise(params === undefined ? {} : (params as Params), fetchPage);
    }
    case 'stream': {
      const query = checkedParams(params);
      return new EventStream(
        (lastEventId, signal) => openStream(transport, withQuery(path(), query), { ...options, signal }, lastEventId),
        typeof query.after === 'string' ? query.after : null,
        options.signal,
      );
    }
    case 'file':
      return begun(async () => {
        const file = { method, path: withQuery(path(), checkedParams(params)), accept: null };
        return transport.send(file, options, (response) => response);
      });
    case 'object':
      return begun(async () => {
        // Without a body, all goes into the query: the server refuses what it does not know.
        const { inQuery, others } = split(checkedParams(params), body === undefined ? null : (operation.query ?? []));
        return transport.send(
          {
            method,
            path: withQuery(path(), inQuery),
            body: body === 'multipart' ? formBody(others) : body && jsonBody(others),
          },
          options,
          readJson,
        );
      });
  }
}

type ReadList = (response: Response) => Promise<List<unknown>>;

async function openStream(
  transport: Transport,
  path: string,
  options: RequestOptions,
  lastEventId: string | null,
): Promise<Response> {
  const headers = { ...options.headers, ...(lastEventId !== null && { 'last-event-id': lastEventId }) };
  const { response } = await transport.send(
    { method: 'GET', path, accept: 'text/event-stream' },
    // The stream itself reconnects.
    { ...options, headers, maxRetries: 0 },
    (opened) => opened,
  );
  return response;
}

/** Starts a call at once, even if its promise is not awaited. */
function begun<T>(send: () => Promise<ApiResponse<T>>): TenurePromise<T> {
  const answer = send();
  return new TenurePromise(() => answer);
}

/** Parts the parameters that belong into the query from the others. Null means all. */
function split(params: Params, names: readonly string[] | null): { inQuery: Params; others: Params } {
  const entries = Object.entries(params);
  const isInQuery = ([name]: [string, unknown]): boolean => names === null || names.includes(name);
  return {
    inQuery: Object.fromEntries(entries.filter(isInQuery)),
    others: Object.fromEntries(entries.filter((entry) => !isInQuery(entry))),
  };
}
