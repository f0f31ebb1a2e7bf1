import type { Log, Operation } from 'tenure';
import { apiUrl } from './base-url.ts';

/** Returns the command that does the same as a page. It reads the API key from `$TENURE_API_KEY`, so that the text holds no secret. */
export function curlOf({ method, path }: Operation, { id, body }: { id?: string; body?: object } = {}): string {
  const url = apiUrl + (id === undefined ? path : path.replace('{id}', id));
  return command([
    `curl ${url}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    authorization,
    ...(method === 'POST' ? [newKey] : []),
    ...(body ? [jsonType, `-d ${quoted(JSON.stringify(body))}`] : []),
  ]);
}

/** Returns a command of `curlOf` that acts on a connected account. */
export function curlAs(account: string, curl: string): string {
  return curl.replace(authorization, `${authorization} \\\n  ${contextOf(account)}`);
}

/**
 * Returns the command that sends a logged request again. A new `Idempotency-Key` lets the server carry it out again.
 *
 * @param account the connected account that the request acted upon.
 */
export function curlOfLog({ method, url, api_version: version, request_body: body }: Log, account?: string): string {
  return command([
    // Without `-g`, curl takes brackets in the URL as a pattern.
    `curl -g ${quoted(apiUrl + url)}`,
    `-X ${method}`,
    authorization,
    `-H "Service-Version: ${version}"`,
    ...(account === undefined ? [] : [contextOf(account)]),
    ...(method === 'POST' ? [newKey] : []),
    // `-d` reads a file if the text begins with `@`.
    ...(body === null ? [] : [jsonType, `--data-raw ${quoted(body)}`]),
  ]);
}

const authorization = '-H "Authorization: Bearer $TENURE_API_KEY"';
const newKey = '-H "Idempotency-Key: $(uuidgen)"';
const jsonType = '-H "Content-Type: application/json"';

function contextOf(account: string): string {
  return `-H ${quoted(`Service-Context: ${account}`)}`;
}

function command(parts: string[]): string {
  return parts.join(' \\\n  ');
}

/** Quotes a text for a shell. A quote within it would end it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
