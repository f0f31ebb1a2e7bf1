import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { toSeconds, type Clock } from '../../core/clock.ts';
import { HttpProviderClient } from '../../external-services/client.ts';
import { ProviderFault, type ProviderClient, type ProviderRequest } from '../../external-services/service.ts';
import { providerA } from '../providers/provider_a.ts';
import type { Findings, Order, Progress } from '../providers/provider.ts';
import { CallbackReceiver } from './receiver.ts';

/** The service to check, and how. */
export interface Target {
  url: string;
  token: string;
  signingSecret: string;
  /** Milliseconds for a whole answer. Tenure waits 15 seconds. */
  answerMs: number;
  /** Milliseconds until a check of a test environment ends, and until a callback comes. */
  waitMs: number;
  /** Where the kit receives callbacks. */
  listen: { host: string; port: number };
  /** The address of that place for the service; its own without one. */
  callbackUrl: string | null;
}

/** An answer as it came. */
export interface RawAnswer {
  status: number;
  text: string;
  /** Undefined if it is no JSON. */
  json: unknown;
}

/** A check of a test environment, from its order to its end. */
export interface Course {
  order: Order;
  orderId: string;
  /** The last state that was read; the end, unless the time was over. */
  last: Progress;
  /** The decision that a read told before the end, if one did. */
  earlyDecision: string | null;
  /** The time of the last read before the end, by the clock of the process. */
  notDoneAtMs: number;
}

/** Milliseconds between two reads. */
const readEveryMs = 200;

/** A busy service is asked again this many times, after a pause of these seconds at most. */
const busyTriesMax = 5;
const busySecondsMax = 10;

/** Plays Tenure to one service: with its adapter, and with requests that Tenure would not send. */
export class Kit {
  readonly receiver: CallbackReceiver;
  readonly target: Target;
  /** The calls that had no whole answer in time. */
  readonly late: string[] = [];
  /** The texts of all answers. */
  readonly texts: string[] = [];
  readonly #client: HttpProviderClient;
  readonly #run: string;
  readonly #courses = new Map<string, Promise<Course>>();
  #orders = 0;

  private constructor(target: Target, receiver: CallbackReceiver, clock: Clock) {
    this.target = target;
    this.receiver = receiver;
    this.#client = new HttpProviderClient(target.url, target.answerMs);
    this.#run = clock.nowMs().toString(36);
  }

  static async start(target: Target, clock: Clock): Promise<Kit> {
    const receiver = await CallbackReceiver.start({
      ...target.listen,
      publicUrl: target.callbackUrl,
      nowSeconds: () => toSeconds(clock.nowMs()),
    });
    return new Kit(target, receiver, clock);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#client.close(), this.receiver.stop()]);
  }

  /** Makes an order with a key of its own. */
  order(scenario: string, changes: Partial<Order> = {}): Order {
    return {
      referenceId: `ref_check_${this.#run}_${++this.#orders}`,
      applicant: {
        name: 'Casey Check',
        email: 'casey.check@example.org',
        phone: '020 7946 0182',
        dateOfBirth: '1990-12-10',
        addresses: [{ line1: '1 High Street', line2: null, city: 'Leeds', postalCode: 'LS1 1AA', country: 'GB' }],
      },
      rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
      hasGuarantor: false,
      callbackUrl: this.receiver.url,
      scenario,
      ...changes,
    };
  }

  submit(order: Order): Promise<Progress> {
    return this.#patiently(() => providerA.submit(this.#access(), order));
  }

  find(key: string): Promise<string | null> {
    return this.#patiently(() => providerA.find(this.#access(), key));
  }

  invite(orderId: string, email: string): Promise<void> {
    return this.#patiently(() => providerA.invite!(this.#access(), orderId, email));
  }

  cancel(orderId: string): Promise<void> {
    return this.#patiently(() => providerA.cancel(this.#access(), orderId));
  }

  fetchFindings(orderId: string): Promise<Findings> {
    return this.#patiently(() => providerA.fetchFindings(this.#access(), orderId));
  }

  /** Reads an order, as Tenure understands it and as it came. */
  async read(orderId: string): Promise<{ progress: Progress; body: Record<string, unknown> }> {
    let body = {};
    const access = this.#access((told) => {
      body = told as object;
    });
    return { progress: await this.#patiently(() => providerA.read(access, orderId)), body };
  }

  /** Orders a check and reads it until its end, once for each scenario. */
  course(scenario: string): Promise<Course> {
    const known = this.#courses.get(scenario) ?? this.follow(this.order(scenario));
    this.#courses.set(scenario, known);
    return known;
  }

  /** Orders this check, and reads it until its end. */
  async follow(order: Order): Promise<Course> {
    const { orderId } = await this.submit(order);
    const untilMs = performance.now() + this.target.waitMs;
    let earlyDecision: string | null = null;
    let notDoneAtMs = performance.now();
    for (;;) {
      const askedAtMs = performance.now();
      const { progress, body } = await this.read(orderId);
      const isOver = ['done', 'failed', 'canceled'].includes(progress.status);
      if (isOver || askedAtMs > untilMs) return { order, orderId, last: progress, earlyDecision, notDoneAtMs };
      notDoneAtMs = askedAtMs;
      if (typeof body['decision'] === 'string') earlyDecision ??= `${body['decision']} at ${String(body['stage'])}`;
      await delay(readEveryMs);
    }
  }

  /** Returns the request that Tenure sends for an order. */
  async orderRequest(order: Order): Promise<{ method: string; path: string; body: Record<string, unknown> }> {
    let sent: ProviderRequest | undefined;
    const client: ProviderClient = {
      call(request) {
        sent = request;
        return Promise.reject(new ProviderFault('not_sent', 'The request is only wanted.'));
      },
    };
    await providerA.submit({ client, credentials: this.#credentials() }, order).catch(() => {});
    return { method: sent!.method, path: sent!.path, body: sent!.body as Record<string, unknown> };
  }

  /** Sends a request that the adapter would not send. */
  async send(request: {
    method: string;
    path: string;
    /** Null for none. The default is the right one. */
    token?: string | null;
    /** Text is sent as it is. */
    body?: object | string;
  }): Promise<RawAnswer> {
    const { method, path, token = this.target.token, body } = request;
    const exchange = async (): Promise<{ status: number; retryAfter: string | null; text: string }> => {
      const response = await fetch(this.#urlOf(path), {
        method,
        headers: {
          accept: 'application/json',
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(this.target.answerMs),
      });
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        text: await response.text(),
      };
    };
    for (let tries = 1; ; tries++) {
      const { status, retryAfter, text } = await this.#inTime(`${method} ${path}`, exchange);
      if (status === 429 && tries < busyTriesMax) {
        await delay(1000 * Math.min(Number(retryAfter) || 1, busySecondsMax));
        continue;
      }
      this.texts.push(text);
      return { status, text, json: jsonIn(text) };
    }
  }

  /** Sends an order, and disconnects when the answer begins, without reading it. */
  async sendAndDisconnect(order: Order): Promise<void> {
    const { method, path, body } = await this.orderRequest(order);
    const url = this.#urlOf(path);
    const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
      method,
      headers: { authorization: `Bearer ${this.target.token}`, 'content-type': 'application/json' },
    });
    await new Promise<void>((resolve) => {
      request.on('close', resolve);
      // The disconnection itself is an error of the request.
      request.on('error', () => {});
      request.on('response', () => request.destroy());
      request.setTimeout(this.target.answerMs, () => request.destroy());
      request.end(JSON.stringify(body));
    });
  }

  #urlOf(path: string): string {
    return this.target.url.replace(/\/$/, '') + path;
  }

  #credentials(): Record<string, string> {
    return { api_key: this.target.token, signing_secret: this.target.signingSecret };
  }

  #access(onBody: (body: unknown) => void = () => {}): { client: ProviderClient; credentials: Record<string, string> } {
    const client: ProviderClient = {
      call: async (request) => {
        const answer = await this.#inTime(`${request.method} ${request.path}`, () => this.#client.call(request));
        this.texts.push(JSON.stringify(answer.body));
        onBody(answer.body);
        return answer;
      },
    };
    return { client, credentials: this.#credentials() };
  }

  /** Notes a call without an answer in time. */
  async #inTime<Answer>(what: string, call: () => Promise<Answer>): Promise<Answer> {
    try {
      return await call();
    } catch (error) {
      const fault = error instanceof ProviderFault ? error : faultOf(error, what);
      if (fault.code === 'timeout') this.late.push(what);
      throw fault;
    }
  }

  async #patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ProviderFault) || error.busyForSeconds === null || tries === busyTriesMax) throw error;
        await delay(1000 * Math.min(error.busyForSeconds, busySecondsMax));
      }
    }
  }
}

/** Returns the fault of a request that got no whole answer. */
function faultOf(error: unknown, what: string): ProviderFault {
  return (error as Error).name === 'TimeoutError'
    ? new ProviderFault('timeout', `The service did not answer in time: ${what}.`, { cause: error })
    : new ProviderFault('unavailable', `The service cannot be reached: ${what}.`, { cause: error });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
