import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { CanopyApi, CanopyFault, webhookTypes } from './api.ts';
import { callBack } from './callbacks.ts';
import type { OrderFile } from './order-file.ts';
import {
  canceled,
  decisionIn,
  eventIn,
  isOver,
  isSection,
  isWaiting,
  namesIn,
  newsMs,
  newsOf,
  reportOf,
  stateOf,
  withAnnounced,
  withDocument,
  withEvent,
  withSection,
  type CanopyOrder,
} from './order.ts';
import type { CanopyClient } from './settings.ts';

/** An answer that is an error of the protocol. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | null;

  constructor(status: number, code: string, message: string, retryAfter: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Seconds before the next attempt to reach Tenure or Canopy in the background. The last one repeats. */
const pauses = [1, 5, 15, 60];

/** How often Canopy may lack an announced document before the message is ignored. With the pauses, this takes some five minutes. */
const missesMax = 8;

/** Milliseconds after which news is dropped if Tenure refuses its signature. The account has then changed its secret. */
const refusedNewsMs = 3 * 24 * 60 * 60 * 1000;

/** Milliseconds until an order whose answer was lost is sent to Canopy again. Until then, a webhook can still show its id. */
const lostAnswerMs = 15 * 60 * 1000;

/** The order's members that the translator reads. */
interface SentOrder {
  key: string;
  applicant: { fullName: string; email: string | null; phone: string | null } | null;
  callback: CanopyOrder['callback'];
}

/** Speaks the protocol of referencing services for one client of Canopy. */
export class CanopyTranslator {
  readonly #client: CanopyClient;
  readonly #api: CanopyApi;
  readonly #file: OrderFile;
  readonly #clock: Clock;
  readonly #callbackUrl: string;
  readonly #log: (text: string) => void;
  readonly #timeScale: number;
  /** One change of an order at a time. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #failures = new Map<string, number>();
  /** How often Canopy has not had the announced document of an order. */
  readonly #misses = new Map<string, number>();
  #isStopped = false;

  /**
   * @param parts.callbackUrl the public address of the translator.
   * @param parts.timeScale the real seconds in a second of a pause.
   */
  constructor(
    client: CanopyClient,
    parts: {
      url: string;
      callbackUrl: string;
      file: OrderFile;
      clock: Clock;
      log: (text: string) => void;
      timeScale: number;
    },
  ) {
    this.#client = client;
    this.#api = new CanopyApi(parts.url, client, parts.clock);
    this.#file = parts.file;
    this.#clock = parts.clock;
    this.#callbackUrl = parts.callbackUrl.replace(/\/$/, '');
    this.#log = parts.log;
    this.#timeScale = parts.timeScale;
  }

  /** The secret in the address of the webhooks. Canopy's documents name no signature. */
  get webhookSecret(): string {
    const { clientId } = this.#client;
    const known = this.#file.registration(clientId);
    if (known) return known.secret;
    const secret = randomBytes(32).toString('base64url');
    this.#file.saveRegistration({ clientId, secret, urls: {} });
    return secret;
  }

  /** Registers the webhooks, and continues what an earlier process has left. */
  start(): void {
    void this.#register(0);
    for (const order of this.#file.orders) if (order.clientId === this.#client.clientId) this.#followUp(order);
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /**
   * Takes an order, once for each key.
   *
   * @throws {Refusal}
   */
  order(sent: SentOrder): Promise<{ isNew: boolean; state: object }> {
    const requestId = this.#requestIdOf(sent.key);
    return this.#inTurn(requestId, async () => {
      const known = this.#file.order(requestId);
      if (known && (known.canopyId !== null || isOver(known))) return { isNew: false, state: stateOf(known) };
      if (known) this.#checkLostAnswer(known);
      const { email } = this.#personOf(sent);
      const emailHash = this.#emailHashOf(email);
      const placed: CanopyOrder = {
        clientId: this.#client.clientId,
        key: sent.key,
        requestId,
        canopyId: null,
        replacedIds: known?.replacedIds ?? [],
        isSentTwice: known?.emailHash === emailHash,
        placedAtMs: this.#clock.nowMs(),
        emailHash,
        stage: 'NOT_STARTED',
        decision: null,
        maxRent: null,
        announced: null,
        passportDecision: null,
        sections: {},
        blocker: null,
        timeline: [],
        callback: sent.callback,
        toldNews: '',
      };
      // Tenure learns the first state from the answer.
      const order = { ...placed, toldNews: newsOf(placed) };
      await this.#place(order, this.#personOf(sent), known);
      return { isNew: true, state: stateOf(this.#file.order(requestId)!) };
    });
  }

  find(key: string): CanopyOrder | null {
    return this.#file.order(this.#requestIdOf(key));
  }

  /** @throws {Refusal} 404 */
  read(requestId: string): CanopyOrder {
    const order = this.#file.order(requestId);
    if (order?.clientId === this.#client.clientId) return order;
    throw new Refusal(404, 'NOT_FOUND', 'There is no such order.');
  }

  /** @throws {Refusal} 409 until the order is done. */
  report(requestId: string): object {
    const order = this.read(requestId);
    if (order.stage === 'DONE') return reportOf(order);
    throw new Refusal(409, 'REPORT_NOT_READY', 'The check is not done.');
  }

  /**
   * Ends an order. Canopy's documents have no call for it. So the person's invitation stays, and its messages are ignored.
   *
   * @throws {Refusal} 409 if it has ended already.
   */
  cancel(requestId: string): Promise<object> {
    return this.#changeOpen(requestId, (order) => Promise.resolve(this.#save(canceled(order, this.#clock.nowMs()))));
  }

  /**
   * Invites the person at another address. Canopy cannot change a request, so this makes a new one. A person that has accepted the first
   * invitation gets none.
   *
   * @throws {Refusal} 409 if the order has ended.
   */
  changeEmail(requestId: string, email: string): Promise<object> {
    return this.#changeOpen(requestId, async (order) => {
      const emailHash = this.#emailHashOf(email);
      const isSame = order.emailHash === emailHash;
      if (!isWaiting(order) || (isSame && order.canopyId !== null)) return order;
      if (order.canopyId === null) this.#checkLostAnswer(order);
      const next: CanopyOrder = {
        ...order,
        canopyId: null,
        replacedIds: order.canopyId === null ? order.replacedIds : [...order.replacedIds, order.canopyId],
        isSentTwice: isSame,
        placedAtMs: this.#clock.nowMs(),
        emailHash,
        blocker: null,
        callback: { ...order.callback, signingSecret: this.#signingSecret(order) },
      };
      await this.#place(next, { email }, order);
      return this.read(requestId);
    });
  }

  /** Takes a message of Canopy. It is on the disk when this resolves. Messages about unknown requests are those of other programs. */
  async take(message: Record<string, unknown>): Promise<void> {
    const { canopyReferenceId: canopyId, clientReferenceId } = message;
    if (typeof canopyId !== 'string' || canopyId === '') return;
    const key = typeof clientReferenceId === 'string' ? clientReferenceId : null;
    const found = this.#file.byCanopyId(this.#client.clientId, canopyId, key);
    if (!found) return;
    // This waits for no turn. The order has it until its answer comes, and the message can come first.
    const order = this.read(found.requestId);
    const next = this.#withMessage({ ...order, canopyId: order.canopyId ?? canopyId }, canopyId, message);
    if (JSON.stringify(next) !== JSON.stringify(order)) this.#save(next);
  }

  #withMessage(
    order: CanopyOrder,
    canopyId: string,
    { document, updatedSection, globalStatus, notes }: Record<string, unknown>,
  ): CanopyOrder {
    const nowMs = this.#clock.nowMs();
    if (isObject(document)) return this.#withDocumentMessage(order, document);
    if (isObject(updatedSection)) {
      const { type, newStatus } = updatedSection;
      if (typeof type !== 'string' || typeof newStatus !== 'string') return order;
      if (!isSection(type)) this.#logUnknown(order, 'section', type);
      return withSection(order, { section: type, status: newStatus, result: String(globalStatus) }, nowMs);
    }
    const event = typeof notes === 'string' ? eventIn(notes) : null;
    if (event === null) {
      if (typeof notes === 'string') this.#logUnknown(order, 'event', notes);
      return order;
    }
    const next = withEvent(order, event, nowMs);
    const { passportDecision: decision } = next;
    // The message with the document was lost. The present results are the finished ones.
    if (event !== 'SENDING_COMPLETED_PASSPORT_FAILED' || decision === null || isOver(next)) return next;
    return withAnnounced(next, { decision, maxRent: null, path: this.#api.passportPathOf(canopyId) });
  }

  #logUnknown({ key }: CanopyOrder, kind: 'event' | 'section', text: string): void {
    const names = namesIn(text).join(', ');
    this.#log(`An update of Canopy about ${key} has an unknown ${kind}${names && ` (${names})`}. It is ignored.`);
  }

  #withDocumentMessage(order: CanopyOrder, document: Record<string, unknown>): CanopyOrder {
    const decision = decisionIn(document['status']);
    const path = typeof document['url'] === 'string' ? this.#api.documentPathOf(document['url']) : null;
    if (decision === null || path === null) {
      this.#log(`Canopy's document of ${order.key} has an unknown status or address. It is ignored.`);
      return order;
    }
    const { maxRent } = document;
    const isGuarantorMissing = document['waitingForGuarantor'] === true && document['guarantorCompleteRP'] !== true;
    const announced = {
      decision,
      path,
      maxRent: typeof maxRent === 'number' && Number.isFinite(maxRent) ? maxRent : null,
    };
    // The document of the renter alone is no result yet. Canopy sends another one with the guarantor.
    return isGuarantorMissing
      ? withEvent(order, 'PASSPORT_COMPLETED_WAITING_FOR_GUARANTOR', this.#clock.nowMs())
      : withAnnounced(order, announced);
  }

  /** Sends a request to Canopy. The order is stored first, so that a lost answer is known. */
  async #place(
    order: CanopyOrder,
    person: { email: string; fullName?: string; phone?: string | null },
    before: CanopyOrder | null,
  ): Promise<void> {
    this.#file.saveOrder(order);
    try {
      const canopyId = await this.#api.request({
        email: person.email,
        ...namesOf(person.fullName ?? ''),
        ...(person.phone && { phone: person.phone }),
        callbackUrl: this.#webhookUrl(),
        clientReferenceId: order.key,
      });
      // Messages can have come before the answer, even about an earlier request whose answer was lost.
      const now = this.#file.order(order.requestId)!;
      if (now.canopyId !== canopyId) this.#save({ ...now, canopyId });
    } catch (error) {
      if (!(error instanceof CanopyFault)) throw error;
      const now = this.#file.order(order.requestId)!;
      // A message has shown meanwhile that Canopy has the request.
      if (now.canopyId !== null) return;
      if (error.kind !== 'uncertain') {
        if (before) this.#file.saveOrder(before);
        else this.#file.removeOrder(order);
      }
      throw refusalOf(error);
    }
  }

  /** @throws {Refusal} 503 while the answer of Canopy to the order can still be found. */
  #checkLostAnswer({ placedAtMs }: CanopyOrder): void {
    if (this.#clock.nowMs() - placedAtMs >= lostAnswerMs) return;
    throw new Refusal(
      503,
      'ANSWER_LOST',
      "Canopy's answer to the order was lost. The order is sent again after 15 minutes.",
    );
  }

  #personOf({ applicant }: SentOrder): { email: string; fullName: string; phone: string | null } {
    if (applicant && applicant.email !== null && applicant.email !== '')
      return { ...applicant, email: applicant.email };
    throw new Refusal(
      422,
      'EMAIL_MISSING',
      'Canopy invites the person by e-mail. Give the customer an e-mail address.',
    );
  }

  #changeOpen(requestId: string, change: (order: CanopyOrder) => Promise<CanopyOrder>): Promise<object> {
    this.read(requestId);
    return this.#inTurn(requestId, async () => {
      const order = this.read(requestId);
      if (isOver(order)) throw new Refusal(409, 'REQUEST_CLOSED', 'The order has ended.');
      return stateOf(await change(order));
    });
  }

  #save(order: CanopyOrder): CanopyOrder {
    this.#file.saveOrder(order);
    this.#failures.delete(order.requestId);
    this.#misses.delete(order.requestId);
    this.#followUp(order);
    return order;
  }

  /** Looks for an announced document, then tells Tenure the news, in the background. */
  #followUp({ requestId }: CanopyOrder): void {
    const order = this.#file.order(requestId)!;
    if (this.#isStopped || (!order.announced && newsOf(order) === order.toldNews)) return;
    const failures = this.#failures.get(requestId) ?? 0;
    const pauseMs = failures === 0 ? 0 : 1000 * pauses[Math.min(failures, pauses.length) - 1]! * this.#timeScale;
    clearTimeout(this.#timers.get(requestId));
    this.#timers.set(
      requestId,
      setTimeout(() => void this.#stepSafely(requestId), pauseMs),
    );
  }

  /** A full disk must not end the program. */
  async #stepSafely(requestId: string): Promise<void> {
    try {
      await this.#step(requestId);
    } catch (error) {
      this.#log(`The order ${requestId} cannot be stored now: ${(error as Error).message}`);
      this.#failures.set(requestId, (this.#failures.get(requestId) ?? 0) + 1);
      const order = this.#file.order(requestId);
      if (order) this.#followUp(order);
    }
  }

  async #step(requestId: string): Promise<void> {
    const isDone = await this.#confirm(requestId).catch((error: unknown) => {
      this.#log(`The document of ${requestId} cannot be read now: ${(error as Error).message}`);
      return false;
    });
    const order = this.#file.order(requestId);
    if (!order) return;
    const news = newsOf(order);
    const isTold = news === order.toldNews || (await this.#tell(order));
    if (this.#isStopped) return;
    const now = this.#file.order(requestId);
    if (!now) return;
    if (isTold && now.toldNews !== news) this.#file.saveOrder({ ...now, toldNews: news });
    if (isDone && isTold) this.#failures.delete(requestId);
    else this.#failures.set(requestId, (this.#failures.get(requestId) ?? 0) + 1);
    this.#followUp(now);
  }

  /** Resolves to whether Tenure has the news, or will never take it. */
  async #tell(order: CanopyOrder): Promise<boolean> {
    const status = await callBack(order, { signingSecret: this.#signingSecret(order), clock: this.#clock });
    if (status !== 400 || this.#clock.nowMs() - newsMs(order) < refusedNewsMs) return status === 200;
    this.#log(`Tenure refuses the callbacks of ${order.key}. This news is dropped.`);
    return true;
  }

  /** An account can change its secret. The newest order has the present one. */
  #signingSecret(order: CanopyOrder): string {
    return (this.#file.newestOrder(order.clientId) ?? order).callback.signingSecret;
  }

  /** Believes an announced result if Canopy shows its document. Resolves to false if Canopy has to be asked again. */
  async #confirm(requestId: string): Promise<boolean> {
    const announced = this.#file.order(requestId)?.announced;
    if (!announced) return true;
    const isThere = await this.#api.hasPdf(announced.path);
    if (this.#isStopped) return false;
    const now = this.#file.order(requestId)!;
    // Another result has been announced meanwhile.
    if (now.announced?.path !== announced.path) return true;
    if (!isThere) {
      const misses = (this.#misses.get(requestId) ?? 0) + 1;
      this.#misses.set(requestId, misses);
      if (misses < missesMax) return false;
      this.#log(`Canopy does not have the announced document of ${now.key}. The message is ignored.`);
    }
    this.#misses.delete(requestId);
    this.#file.saveOrder(isThere ? withDocument(now, this.#clock.nowMs()) : { ...now, announced: null });
    return true;
  }

  async #register(failures: number): Promise<void> {
    const { clientId } = this.#client;
    const url = this.#webhookUrl();
    try {
      for (const type of webhookTypes) {
        const known = this.#file.registration(clientId)!;
        if (known.urls[type] === url) continue;
        await this.#api.register(type, url);
        if (this.#isStopped) return;
        this.#file.saveRegistration({ ...known, urls: { ...known.urls, [type]: url } });
      }
    } catch (error) {
      if (this.#isStopped) return;
      this.#log(`The webhooks of ${clientId} cannot be registered now: ${(error as Error).message}`);
      const pauseMs = 1000 * pauses[Math.min(failures, pauses.length - 1)]! * this.#timeScale;
      this.#timers.set(
        'registration',
        setTimeout(() => void this.#register(failures + 1), pauseMs),
      );
    }
  }

  #webhookUrl(): string {
    return `${this.#callbackUrl}/canopy/${encodeURIComponent(this.#client.clientId)}/${this.webhookSecret}`;
  }

  /** The secret keeps addresses from being guessed by their hashes. */
  #emailHashOf(email: string): string {
    return hashOf(`${this.webhookSecret} ${email}`);
  }

  /** Returns the same id for the same key, so that a repeated order has it, too. */
  #requestIdOf(key: string): string {
    return `canopy_${hashOf(`${this.#client.clientId} ${key}`).slice(0, 32)}`;
  }

  /** Runs changes of one order one after another. */
  async #inTurn<Result>(requestId: string, change: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(requestId);
    const own = (before ?? Promise.resolve()).then(change, change);
    this.#turns.set(requestId, own);
    try {
      return await own;
    } finally {
      if (this.#turns.get(requestId) === own) this.#turns.delete(requestId);
    }
  }
}

function refusalOf({ kind, message, retryAfter }: CanopyFault): Refusal {
  if (kind === 'refused') return new Refusal(422, 'INVALID_DETAILS', message);
  if (kind === 'unauthorized') return new Refusal(401, 'UNAUTHORIZED', message);
  if (kind === 'busy') return new Refusal(429, 'BUSY', message, retryAfter);
  return new Refusal(503, 'UNAVAILABLE', message);
}

/** Canopy wants the names apart. The last word is the family name. */
function namesOf(fullName: string): { firstName?: string; lastName?: string } {
  const words = fullName.split(/\s+/).filter((word) => word !== '');
  const lastName = words.length > 1 ? words.pop() : undefined;
  return { ...(words.length > 0 && { firstName: words.join(' ') }), ...(lastName !== undefined && { lastName }) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
