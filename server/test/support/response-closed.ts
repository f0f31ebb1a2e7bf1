import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** Resolves when a request for the path has its response, or its client has disconnected. The server is in this process. */
export function responseClosed(path: string): Promise<void> {
  return new Promise((resolve) => {
    const note = (message: unknown): void => {
      const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
      if (request.url === path) response.once('close', resolve);
    };
    subscribe('http.server.request.start', note);
    onTestFinished(() => void unsubscribe('http.server.request.start', note));
  });
}
