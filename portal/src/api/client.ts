import { apiUrl } from '../base-url.ts';
import { noteConnection } from './connection.ts';
import { endSession } from './session.ts';
import type { Access, Agent } from './shapes.ts';

/** A failed request, in the words of the API. */
export class PortalError extends Error {
  /** The status of the response, or 0 if there was none. */
  readonly status: number;
  readonly code: string;
  /** The faults of members of the body, such as `phone`. */
  readonly faults: readonly Fault[];
  readonly requestId: string | null;

  constructor(
    message: string,
    details: { status: number; code: string; faults?: readonly Fault[]; requestId?: string | undefined },
  ) {
    super(message);
    this.name = 'PortalError';
    this.status = details.status;
    this.code = details.code;
    this.faults = details.faults ?? [];
    this.requestId = details.requestId ?? null;
  }
}

/** A fault of one member of the body. */
interface Fault {
  param: string;
  message: string;
}

/** The error of the API, as its body has it. A body with several faults lists all of them. */
interface ErrorBody {
  error?: { code?: string; message?: string; request_id?: string; errors?: PossibleFault[] } & PossibleFault;
}

interface PossibleFault {
  param?: string | null;
  message?: string;
}

/** What each request sends. The server accepts the session's cookie only with the first header. */
const ownHeaders = { 'service-client': 'portal' };
const ofJson = { 'content-type': 'application/json' };

/** How often a read waits for its turn. The server allows five requests a second. */
const turnsMax = 5;

/** Reads a path of the portal, such as `tenancies`. */
export async function read<T>(path: string): Promise<T> {
  for (let turn = 1; ; turn++) {
    try {
      return await send<T>('GET', path);
    } catch (error) {
      const isTooFast = error instanceof PortalError && error.status === 429;
      if (!isTooFast || turn === turnsMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** Sends a body to a path of the portal. */
export function post<T>(path: string, body: object): Promise<T> {
  return send<T>('POST', path, body);
}

/** Reads which agent has made a link. The link can still be opened afterwards. */
export function readLink(token: string): Promise<{ account: Agent }> {
  return send('POST', 'link', { token });
}

/** Opens the link of a person. Its token works once, so that nothing repeats the request. */
export function open(token: string): Promise<Access> {
  return send<Access>('POST', 'open', { token });
}

/** Ends the session everywhere. */
export function end(): Promise<unknown> {
  return send('POST', 'end', {});
}

/**
 * Uploads a file, and tells how much of it has been sent, from 0 to 1.
 *
 * `fetch` cannot tell that, so that the older interface of browsers is used.
 */
export function upload<T>(
  path: string,
  form: FormData,
  onProgress: (share: number) => void,
): { result: Promise<T>; stop: () => void } {
  const request = new XMLHttpRequest();
  const result = new Promise<T>((resolve, reject) => {
    request.open('POST', addressOf(path));
    for (const [name, value] of Object.entries(ownHeaders)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total);
    });
    request.addEventListener('load', () => {
      noteConnection(true);
      const body = parsed(request.responseText);
      if (request.status < 300) resolve(body as T);
      else reject(errorOf(request.status, body));
    });
    request.addEventListener('error', () => {
      noteConnection(false);
      reject(connectionLost());
    });
    request.addEventListener('abort', () => reject(new DOMException('The upload was stopped.', 'AbortError')));
    request.send(form);
  });
  return { result, stop: () => request.abort() };
}

async function send<T>(method: string, path: string, body?: object): Promise<T> {
  let response: Response;
  try {
    response = await fetch(addressOf(path), {
      method,
      headers: body === undefined ? ownHeaders : { ...ownHeaders, ...ofJson },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    noteConnection(false);
    throw connectionLost();
  }
  noteConnection(true);
  const answer = parsed(await response.text());
  if (!response.ok) throw errorOf(response.status, answer);
  return answer as T;
}

function addressOf(path: string): string {
  return `${apiUrl}/v1/portal/${path}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function errorOf(status: number, body: unknown): PortalError {
  const error = (body as ErrorBody | null)?.error ?? {};
  const faults = (error.errors ?? [error]).flatMap(({ param, message }) =>
    param && message ? [{ param, message }] : [],
  );
  if (status === 401) endSession('ended');
  return new PortalError(error.message ?? '', {
    status,
    code: error.code ?? 'unknown',
    faults,
    requestId: error.request_id,
  });
}

function connectionLost(): PortalError {
  return new PortalError('There was no response.', { status: 0, code: 'offline' });
}
