import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { tidied, type CanopyOrder } from './order.ts';

/** What a client has registered at Canopy, and the secret in the address of its webhooks. */
export interface Registration {
  clientId: string;
  secret: string;
  /** The addresses that Canopy has, by the type of the updates. */
  urls: Readonly<Record<string, string>>;
}

type Line = { order: CanopyOrder } | { registration: Registration };

/**
 * Keeps orders and registrations in a file of lines. A change adds a line, which is on the disk when the call returns. A start and `tidy`
 * write the file anew, without the lines that later ones replace. Only one process may use the file. It has signing secrets, so its mode
 * is 0600.
 */
export class OrderFile {
  readonly #path: string;
  readonly #orders = new Map<string, CanopyOrder>();
  readonly #registrations = new Map<string, Registration>();
  #descriptor: number;
  /** True if the last line may be torn, such as on a full disk. */
  #isTorn = false;
  /** True if the file can have lines that later ones replace. */
  #hasOldLines = false;

  /** @throws {Error} if the file cannot be read or written. */
  constructor(path: string) {
    this.#path = path;
    if (existsSync(path)) this.#read();
    this.#descriptor = this.#rewrite();
  }

  get orders(): CanopyOrder[] {
    return [...this.#orders.values()];
  }

  order(requestId: string): CanopyOrder | null {
    return this.#orders.get(requestId) ?? null;
  }

  /** Finds the order of a request at Canopy. An order whose answer was lost is found by its key, also after it was sent again. */
  byCanopyId(clientId: string, canopyId: string, key: string | null): CanopyOrder | null {
    const isOf = (order: CanopyOrder): boolean => {
      if (order.clientId !== clientId || order.replacedIds.includes(canopyId)) return false;
      if (order.canopyId === canopyId) return true;
      return order.key === key && (order.canopyId === null || order.isSentTwice);
    };
    for (const order of this.#orders.values()) if (isOf(order)) return order;
    return null;
  }

  /** Returns the order of a client that was last sent to Canopy, or null. */
  newestOrder(clientId: string): CanopyOrder | null {
    let newest: CanopyOrder | null = null;
    for (const order of this.#orders.values()) {
      if (order.clientId === clientId && (newest === null || order.placedAtMs >= newest.placedAtMs)) newest = order;
    }
    return newest;
  }

  saveOrder(order: CanopyOrder): void {
    this.#append({ order });
    this.#orders.set(order.requestId, order);
  }

  /** Forgets an order that Canopy has refused. */
  removeOrder(order: CanopyOrder): void {
    this.#orders.delete(order.requestId);
    this.#replace();
  }

  /** Erases what is no longer needed. This includes the former lines of the orders. */
  tidy(nowMs: number): void {
    for (const order of this.#orders.values()) {
      const next = tidied(order, nowMs);
      if (next === order) continue;
      this.#orders.set(order.requestId, next);
      this.#hasOldLines = true;
    }
    if (this.#hasOldLines) this.#replace();
  }

  registration(clientId: string): Registration | null {
    return this.#registrations.get(clientId) ?? null;
  }

  saveRegistration(registration: Registration): void {
    this.#append({ registration });
    this.#registrations.set(registration.clientId, registration);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #read(): void {
    const lines = readFileSync(this.#path, 'utf8').split('\n');
    // A process that was killed can leave half a line, whose change was not answered.
    lines.pop();
    for (const line of lines) this.#remember(JSON.parse(line) as Line);
  }

  #remember(line: Line): void {
    if ('order' in line) this.#orders.set(line.order.requestId, line.order);
    else this.#registrations.set(line.registration.clientId, line.registration);
  }

  #append(line: Line): void {
    if (this.#isTorn) this.#replace();
    this.#isTorn = true;
    this.#hasOldLines = true;
    writeFileSync(this.#descriptor, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#descriptor);
    this.#isTorn = false;
  }

  #replace(): void {
    const former = this.#descriptor;
    this.#descriptor = this.#rewrite();
    this.#isTorn = false;
    this.#hasOldLines = false;
    closeSync(former);
  }

  /** Writes the present state beside the file, and takes its place. Returns the descriptor for further lines. */
  #rewrite(): number {
    const lines: Line[] = [
      ...[...this.#registrations.values()].map((registration) => ({ registration })),
      ...[...this.#orders.values()].map((order) => ({ order })),
    ];
    const descriptor = openSync(`${this.#path}.new`, 'w', 0o600);
    writeFileSync(descriptor, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    fsyncSync(descriptor);
    renameSync(`${this.#path}.new`, this.#path);
    const folder = openSync(dirname(this.#path), 'r');
    fsyncSync(folder);
    closeSync(folder);
    return descriptor;
  }
}
