/** The headers of a request that take room of other connections. */
export interface Head {
  /** The site of the client. The tree of its account, once that is known. */
  owner: string;
  readonly bytes: number;
  /** Whether the request counts as a change: the server can begin one for it, and it has no response yet. */
  isChange: boolean;
  /**
   * Returns whether the request can be closed for another one: it changes nothing, has not begun to, or was pipelined. Its client then also
   * loses the responses to the requests before it on the same connection.
   */
  canClose(): boolean;
  close(): void;
}

/** Bounds the bytes of headers that all connections hold together. If there is no room, owners that hold more give way. */
export class HeadBudget {
  readonly #max: number;
  /** The earliest first. */
  readonly #heads = new Set<Head>();
  readonly #all = new Holdings();
  /** The part of changes. */
  readonly #changes = new Holdings();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes the bytes of a request. Closes requests of owners that hold more if there is no room.
   *
   * @returns false if too few can be closed, or if the changes of its owner have their share. The request must be closed then.
   */
  take(head: Head): boolean {
    if (!this.#isFair(head)) return false;
    this.#heads.add(head);
    this.#count(head, head.bytes);
    return this.#all.sum <= this.#max || this.#makeRoom(head);
  }

  /**
   * Gives a request to another owner.
   *
   * @returns false, and does nothing, if the changes of that owner have their share.
   */
  move(head: Head, owner: string): boolean {
    if (!this.#heads.has(head)) return true;
    this.#count(head, -head.bytes);
    const isFair = this.#isFair({ ...head, owner });
    if (isFair) head.owner = owner;
    this.#count(head, head.bytes);
    return isFair;
  }

  /** Notes that a request has its response. The rest of its body can still arrive. */
  responded(head: Head): void {
    if (!this.#heads.has(head)) return;
    this.#count(head, -head.bytes);
    head.isChange = false;
    this.#count(head, head.bytes);
  }

  /** Returns the bytes of a request. A second call does nothing. */
  release(head: Head): void {
    if (this.#heads.delete(head)) this.#count(head, -head.bytes);
  }

  /**
   * Returns whether the owner of a change leaves twice as much room to others as its changes take. Otherwise two accounts could fill the
   * room with changes under way, which cannot be closed.
   */
  #isFair({ owner, bytes, isChange }: Pick<Head, 'owner' | 'bytes' | 'isChange'>): boolean {
    return !isChange || 2 * (this.#changes.of(owner) + bytes) + this.#changes.sum + bytes <= this.#max;
  }

  /** Closes requests of owners that hold more than this one's, the largest owner first. */
  #makeRoom({ owner }: Head): boolean {
    const own = this.#all.of(owner);
    const ofLarger = [...this.#heads].filter((each) => this.#all.of(each.owner) > own && each.canClose());
    for (const each of ofLarger.toSorted((left, right) => this.#all.of(right.owner) - this.#all.of(left.owner))) {
      if (this.#all.of(each.owner) <= own) continue;
      this.release(each);
      each.close();
      if (this.#all.sum <= this.#max) return true;
    }
    return false;
  }

  #count({ owner, isChange }: Head, bytes: number): void {
    this.#all.add(owner, bytes);
    if (isChange) this.#changes.add(owner, bytes);
  }
}

/** What each owner holds. */
class Holdings {
  readonly #of = new Map<string, number>();
  sum = 0;

  of(owner: string): number {
    return this.#of.get(owner) ?? 0;
  }

  add(owner: string, bytes: number): void {
    this.sum += bytes;
    const held = this.of(owner) + bytes;
    if (held > 0) this.#of.set(owner, held);
    else this.#of.delete(owner);
  }
}
