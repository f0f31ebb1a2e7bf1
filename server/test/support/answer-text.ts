import type { Dispatcher } from 'undici';

/** Reads the text of a response. Does not wait for a stream, which has no end. */
export async function textOf({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (!String(headers['content-type']).startsWith('text/event-stream')) return body.text();
  body.on('error', () => {}).destroy();
  return '';
}
