import type { Socket } from 'node:net';

/**
 * Bytes that this process discards in a millisecond. Measured with 80 uploads of 10 MB at a time, most of them refused. Without a pace, the
 * process discarded 1 GB/s, other accounts waited 80 ms in the median, and no upload ended. With this pace, they waited 8 ms.
 */
const bytesPerMs = 128 * 1024;

/**
 * Reads on what clients send after their response, slowly. A client that never reads while it sends would otherwise see a reset instead of
 * its response.
 */
export class DiscardPace {
  /** The connections in the order of their turns. */
  readonly #sockets = new Set<Socket>();
  #isTurning = false;

  /** Slows a connection down. Call the returned function when its request is complete, so that the connection can be used again. */
  slowDown(socket: Socket): () => void {
    const forget = (): boolean => this.#sockets.delete(socket);
    const release = (): void => {
      socket.off('close', forget);
      if (forget()) socket.resume();
    };
    if (socket.destroyed) return release;
    this.#sockets.add(socket);
    socket.once('close', forget);
    socket.pause();
    if (!this.#isTurning) this.#turn();
    return release;
  }

  /** Lets one connection read once. */
  #turn(): void {
    const [socket] = this.#sockets;
    this.#isTurning = socket !== undefined;
    if (!socket) return;
    this.#sockets.delete(socket);
    this.#sockets.add(socket);
    const before = socket.bytesRead;
    socket.resume();
    // The runtime reads before it comes here.
    setImmediate(() => {
      if (this.#sockets.has(socket)) socket.pause();
      setTimeout(() => this.#turn(), Math.max(1, (socket.bytesRead - before) / bytesPerMs)).unref();
    });
  }
}
