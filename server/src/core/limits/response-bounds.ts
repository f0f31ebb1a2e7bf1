import type { Socket } from 'node:net';

/** A service may send this many informational (1xx) responses before the real one. */
export const informationalMax = 8;

/** A body of any size may have so many chunks. */
const chunksMin = 1_000;

/** Above `chunksMin`, chunks must have so many bytes on average. A smaller one costs more than what it brings. */
const chunkBytesMin = 32;

/** Returns whether a body comes in absurdly many small chunks. Each costs a callback. */
export function isTooManyChunks(chunks: number, bytes: number): boolean {
  return chunks > chunksMin + bytes / chunkBytesMin;
}

/** A response has more bytes, or a head or trailers with more lines, than it may have. */
export class ResponseUnboundedError extends Error {
  readonly code = 'ERR_RESPONSE_UNBOUNDED';

  constructor() {
    super('The response has too many bytes, or too many lines in its head or its trailers.');
  }
}

/** The parser gets this many bytes at once. It parses a piece to its end, even if the connection is closed within it. */
const pieceBytes = 256;

/** The parser gets this many bytes of one connection in one turn of the event loop. Other connections come in between. */
const turnBytes = 4 * 1024;

/** A head or trailers may have so many lines. The parser keeps two objects for each. */
const linesMax = 512;

/** What the parser got of one connection since it last told anything of it. */
interface ResponseHead {
  lines: number;
}

/** Of the connection that was read last, which is the one being parsed: a parser takes each piece at once. */
let parsed: ResponseHead | null = null;

/** Starts the count of lines anew. A handler calls this when the parser tells of a head or of a part of a body. */
export function restartLineCount(): void {
  if (parsed) parsed.lines = 0;
}

/**
 * Bounds what an HTTP client reads from a connection. Its parser bounds neither all parts of a response nor its own time.
 * A connection with a longer response is destroyed with `ResponseUnboundedError`, and no more of it is parsed.
 *
 * So is one with more than 512 lines until `hearResponse` is called, which every handler of the client's must do.
 * The client must call `socket.read()` on 'readable' until it returns null. It must not pipeline requests.
 *
 * @param bytesMax of one response: heads, body, and what frames its chunks.
 */
export function boundReads(socket: Socket, bytesMax: number): void {
  const readPiece = socket.read.bind(socket);
  const head: ResponseHead = { lines: 0 };
  let sentBytes = -1;
  let responseBytes = 0;
  let turnLeft = turnBytes;
  let isTurnUsed = false;

  const nextTurn = (): void => {
    const isWaiting = turnLeft <= 0;
    isTurnUsed = false;
    turnLeft = turnBytes;
    if (isWaiting && !socket.destroyed) socket.emit('readable');
  };

  socket.read = (size?: number): unknown => {
    // The stream itself asks for 0 bytes, to fill its buffer.
    if (size !== undefined) return readPiece(size);
    if (socket.destroyed || turnLeft <= 0) return null;
    const available = socket.readableLength;
    const piece = readPiece(available > pieceBytes ? pieceBytes : undefined) as Buffer | null;
    if (piece === null) return null;
    if (!isTurnUsed) {
      isTurnUsed = true;
      setImmediate(nextTurn);
    }
    turnLeft -= piece.length;
    // A new request was sent, so this begins its response.
    if (socket.bytesWritten !== sentBytes) {
      sentBytes = socket.bytesWritten;
      responseBytes = 0;
      head.lines = 0;
    }
    responseBytes += piece.length;
    if (responseBytes > bytesMax || head.lines > linesMax) {
      socket.destroy(new ResponseUnboundedError());
      return null;
    }
    // The piece may hold the end of a head and lines of a body. Its lines count from the next piece on.
    head.lines += linesIn(piece);
    parsed = head;
    return piece;
  };
}

function linesIn(piece: Buffer): number {
  let lines = 0;
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++;
  return lines;
}
