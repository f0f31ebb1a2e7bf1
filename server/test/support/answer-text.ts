import type { Dispatcher } from 'undici';

/** Reads the text of a response. Does not wait for a stream, which has no end. */
export async function textOf({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (!isStream(String(headers['content-type']))) return body.text();
  body.on('error', () => {}).destroy();
  return '';
}

export function isStream(contentType: string): boolean {
  return contentType.startsWith('text/event-stream');
}
