/** The headers of a request that take room of other connections. */
export interface Head {
  /** The site of the client. */
  site: string;
  bytes: number;
  /**
   * Returns whether the request can be closed for another one: it changes nothing, has not begun to, or was pipelined. Its client then also
   * loses the responses to the requests before it on the same connection.
   */
  canClose(): boolean;
  close(): void;
}

/** Bounds the bytes of headers that all connections hold together. If there is no room, the site that holds most gives way. */
export class HeadBudget {
  readonly #max: number;
  /** The earliest first. */
  readonly #heads = new Set<Head>();
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes the bytes of a request. Closes requests of the site that holds most if there is no room.
   *
   * @returns false if it is the site of this request, or if too few can be closed. The request must be closed then.
   */
  take(head: Head): boolean {
    this.#heads.add(head);
    this.#count(head, head.bytes);
    if (this.#held <= this.#max) return true;
    const [largest, most] = [...this.#heldBy].reduce((left, right) => (right[1] > left[1] ? right : left));
    if (most <= this.#heldBy.get(head.site)!) return false;
    for (const each of this.#heads) {
      if (each.site !== largest || !each.canClose()) continue;
      this.release(each);
      each.close();
      if (this.#held <= this.#max) return true;
    }
    return false;
  }

  /** Returns the bytes of a request. A second call does nothing. */
  release(head: Head): void {
    if (this.#heads.delete(head)) this.#count(head, -head.bytes);
  }

  #count({ site }: Head, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldBy.get(site) ?? 0) + bytes;
    if (held > 0) this.#heldBy.set(site, held);
    else this.#heldBy.delete(site);
  }
}
