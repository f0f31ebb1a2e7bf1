import type { Dispatcher } from 'undici';

/** The text of an answer. Of a stream, which has no end, nothing is waited for. */
export async function textOf({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (!isStream(String(headers['content-type']))) return body.text();
  body.on('error', () => {}).destroy();
  return '';
}

export function isStream(contentType: string): boolean {
  return contentType.startsWith('text/event-stream');
}
