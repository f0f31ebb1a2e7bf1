import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The part of all places that stays free for new connections. A site with more than this part of them gives way first. Otherwise a stranger
 * could keep every client out. Clients reconnect.
 */
const freeShare = 1 / 32;

/**
 * While sites hold more than half of all places, one with more connections than these gives way first. A browser rarely opens more.
 */
const fewOfSite = 8;

/** A tree with more than this part of all places closes its idle connections before others do. */
const treeShare = 1 / 4;

interface Place {
  /** The site at the other end of the connection. Null if it can be a proxy, with all clients. Then idle connections have no owner. */
  readonly home: string | null;
  /** The client of the latest request: a site, or the tree of accounts of its key. A tree stays the owner between requests. */
  owner: string | null;
  isOfTree: boolean;
  /** How many requests have no response. */
  requests: number;
  /** Those of them that can be a change under way. */
  readonly changes: Set<IncomingMessage>;
}

/** The open connections of a process. Finds the one that gives way when few places are left. */
export class ConnectionPlaces {
  /** In the order of their last changes. */
  readonly #places = new Map<Socket, Place>();
  /** Those without a request, in the order of the times since when. */
  readonly #idle = new Set<Socket>();
  readonly #ofSites = new Map<string, number>();
  readonly #ofTrees = new Map<string, number>();
  /** The connections of all sites together. */
  #ofAllSites = 0;

  /** Counts a new connection. Closes another one if few of `max` places are left. */
  open(socket: Socket, home: string | null, max: number): void {
    const place: Place = { home, owner: home, isOfTree: false, requests: 0, changes: new Set() };
    this.#places.set(socket, place);
    this.#idle.add(socket);
    this.#count(place, 1);
    socket.once('close', () => this.#forget(socket));
    const free = Math.ceil(max * freeShare);
    if (this.#places.size <= max - free) return;
    // A tree has limits of its own for requests and streams. Strangers with few connections each must not close them while theirs are idle.
    // Strangers can also keep all of theirs busy. Then the idle ones are those of clients with a key.
    const chosen =
      this.#ofLargest(this.#ofSites, this.#ofAllSites > max / 2 ? fewOfSite : free, socket) ??
      this.#ofLargest(this.#ofTrees, max * treeShare, socket, true) ??
      this.#longestIdle(socket) ??
      this.#ofLargest(this.#ofTrees, free, socket);
    if (!chosen) return;
    // Its `close` event comes later. The next connection must not find it again.
    this.#forget(chosen);
    chosen.destroy();
  }

  /** Notes that a request has arrived. It can wait behind another one. */
  received(socket: Socket): void {
    const place = this.#places.get(socket);
    if (!place) return;
    place.requests++;
    this.#idle.delete(socket);
    this.#isLatest(socket, place);
  }

  /** Gives the connection of a request to its client, until the request has its response. */
  begin(request: IncomingMessage, owner: string | null): void {
    const place = this.#places.get(request.socket);
    if (!place) return;
    if (request.method !== 'GET' && request.method !== 'HEAD') place.changes.add(request);
    this.#move(place, owner, false);
  }

  /** Gives the connection of a request to a tree of accounts. */
  move({ socket }: IncomingMessage, rootId: string): void {
    const place = this.#places.get(socket);
    if (place) this.#move(place, rootId, true);
  }

  /** Notes that a request changes nothing, or nothing more. */
  changesNothing(request: IncomingMessage): void {
    this.#places.get(request.socket)?.changes.delete(request);
  }

  /** Notes that a request has its response. */
  end(request: IncomingMessage, socket: Socket): void {
    const place = this.#places.get(socket);
    if (!place) return;
    place.requests--;
    place.changes.delete(request);
    if (place.requests > 0) return;
    if (place.home === null || !place.isOfTree) this.#move(place, place.home, false);
    this.#idle.add(socket);
    this.#isLatest(socket, place);
  }

  /**
   * Returns a connection of the owner that has the most of them, above `many`. An idle one comes first. If all make changes, it is one of the
   * next owner.
   */
  #ofLargest(counts: ReadonlyMap<string, number>, many: number, besides: Socket, isIdle = false): Socket | undefined {
    const owners = [...counts].filter(([, count]) => count > many);
    for (const [owner] of owners.toSorted(([, left], [, right]) => right - left)) {
      for (const sockets of isIdle ? [this.#idle] : [this.#idle, this.#places.keys()])
        for (const socket of sockets) {
          const place = this.#places.get(socket)!;
          if (place.owner === owner && socket !== besides && canClose(place)) return socket;
        }
    }
    return undefined;
  }

  #longestIdle(besides: Socket): Socket | undefined {
    const [longest] = this.#idle;
    return longest === besides ? undefined : longest;
  }

  #forget(socket: Socket): void {
    const place = this.#places.get(socket);
    if (!place) return;
    this.#places.delete(socket);
    this.#idle.delete(socket);
    this.#count(place, -1);
  }

  #isLatest(socket: Socket, place: Place): void {
    this.#places.delete(socket);
    this.#places.set(socket, place);
  }

  #move(place: Place, owner: string | null, isOfTree: boolean): void {
    if (place.owner === owner) return;
    this.#count(place, -1);
    place.owner = owner;
    place.isOfTree = isOfTree;
    this.#count(place, 1);
  }

  #count({ owner, isOfTree }: Place, change: 1 | -1): void {
    if (owner === null) return;
    const counts = isOfTree ? this.#ofTrees : this.#ofSites;
    if (!isOfTree) this.#ofAllSites += change;
    const count = (counts.get(owner) ?? 0) + change;
    if (count > 0) counts.set(owner, count);
    else counts.delete(owner);
  }
}

/** Returns whether no request of a connection can be a change that has begun. */
function canClose({ changes }: Place): boolean {
  return [...changes].every((request) => !request.complete);
}
