import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The part of Node's HTTP parser that no public interface reaches. A connection has one while it is open. */
interface Parser {
  onIncoming: unknown;
  constructor: { kOnBody: number };
  [callback: number]: unknown;
}

/** The most that the runtime reads of a body with its headers, in bytes. */
const readBytesMax = 64 * 1024;

/** What llhttp's `on_headers_complete` returns to end the parsing where it is. */
const endParsing = 2;

/**
 * Ends the parsing of what was read from a connection. Without this, the parser makes a request of each further line in the same 64 kB. It
 * does so even if the connection is destroyed.
 */
export function stopRequests(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser) parser.onIncoming = () => endParsing;
}

/** Drops the chunks of bodies that follow on a connection, before they become objects. The connection must not be used again. */
export function dropChunks(socket: Socket): void {
  const parser = parserOf(socket);
  if (!parser) return;
  const { kOnBody } = parser.constructor;
  const callback = parser[kOnBody];
  parser[kOnBody] = undefined;
  // Parsers are used again for other connections.
  socket.once('close', () => (parser[kOnBody] = callback));
}

/** Closes a response that waits behind another one, as the runtime does when it closes a connection. */
export function closeUnsent(response: ServerResponse): void {
  Object.assign(response, { destroyed: true, _closed: true });
  response.emit('close');
}

/** Waits without the part of a body that has arrived and that no code reads. The client can send the rest afterwards. */
export async function withoutBody(incoming: IncomingMessage, wait: () => Promise<void>): Promise<void> {
  if (incoming.readableFlowing !== null) return wait();
  // After the end of such a body, no event would resume a socket that was paused. Its client could send no other request.
  if (incoming.complete) {
    drop(incoming);
    return wait();
  }
  // oxlint-disable-next-line eslint/no-underscore-dangle -- The stream resumes its socket whenever it asks for more.
  incoming._read = () => {};
  incoming.socket.pause();
  drop(incoming);
  await wait();
  Reflect.deleteProperty(incoming, '_read');
  if (incoming.destroyed) return;
  // oxlint-disable-next-line eslint/no-underscore-dangle -- It has asked for more meanwhile.
  incoming._read(0);
  // Node discards the rest of a body only if nothing has asked for it.
  incoming.resume();
}

/** Returns the bytes of a body that can be in memory before it is read. */
export function earlyBytesOf({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined
    ? Math.min(Number(headers['content-length'] ?? 0), readBytesMax)
    : readBytesMax;
}

/** Drops what has arrived of a body. */
function drop(incoming: IncomingMessage): void {
  while (incoming.readableLength > 0) incoming.read();
}

function parserOf(socket: Socket): Parser | undefined {
  return (socket as Socket & { parser?: Parser }).parser ?? undefined;
}
