import { Tenure, type File as FileRecord, type FilesCreateParams, type RequestOptions } from 'tenure';
import { noteConnection } from '../../api/connection.ts';
import { apiUrl } from '../../base-url.ts';

/** A file from the person’s device, and what it is for. */
export interface Upload {
  file: File;
  purpose: FilesCreateParams['purpose'];
  /** The check for which the file is evidence. */
  reference?: string | undefined;
}

/** Uploads a file under a key of its own, so that the request after it can have another. */
export function uploadFile(
  tenure: Tenure,
  { file, purpose, reference }: Upload,
  options: RequestOptions,
): PromiseLike<FileRecord> {
  return tenure.files.create(
    { file, purpose, ...(reference !== undefined && { reference }) },
    { ...options, idempotencyKey: `${options.idempotencyKey}-file` },
  );
}

/** Uploads a file, and tells how much of it has been sent, from 0 to 1. `fetch` cannot tell that. */
export function uploadWithProgress(
  account: string | undefined,
  upload: Upload,
  options: RequestOptions,
  onProgress: (share: number) => void,
): PromiseLike<FileRecord> {
  const client = new Tenure({
    apiKey: null,
    baseUrl: apiUrl,
    account,
    fetch: (url, init) => send(url, init, onProgress),
    onResponse: ({ status }) => noteConnection(status !== null),
  });
  return uploadFile(client, upload, options);
}

/** Sends a request like `fetch`, by the older interface of browsers that reports progress. */
function send(url: string, init: RequestInit, onProgress: (share: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(init.method ?? 'POST', url);
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
    request.setRequestHeader('service-client', 'dashboard');
    request.responseType = 'text';
    request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total);
    });
    request.addEventListener('load', () =>
      resolve(new Response(request.responseText, { status: request.status, headers: headersOf(request) })),
    );
    request.addEventListener('error', () => reject(new TypeError('The connection was lost.')));
    request.addEventListener('abort', () => reject(new DOMException('The upload was stopped.', 'AbortError')));
    init.signal?.addEventListener('abort', () => request.abort());
    request.send(init.body as FormData);
  });
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}
