import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Report, Sizes, Way } from './order.ts';

/** Milliseconds before a refused request is sent again. */
const retryMs = 100;

/** Records that reads expand and updates change. Each is as large as a body can be. */
const largeRecords = 12;

/** Bytes that a slow client reads of a response, and the milliseconds between two reads. */
const slowBytes = 32 * 1024;
const slowEveryMs = 200;

/** Requests that a connection sends at once. The server disconnects a client with more. */
const pipelined = 60;

/** As many headers as a request can have, and as long. */
const largeHeaders = Array.from({ length: 95 }, (_, index) => `x-${index}: ${'x'.repeat(150)}\r\n`).join('');

/** Milliseconds in which a stream is not read, and in which it is. */
const pausedMs = 3_000;
const resumedMs = 300;

/** The attack of one account. */
export class Attack {
  readonly #url: string;
  readonly #key: string;
  readonly #sizes: Sizes;
  readonly #receiver: string;
  readonly #client: Pool;
  /** For many requests at once on few connections. */
  readonly #crowd: Pool;
  readonly #statuses = new Map<string, number>();
  readonly #acknowledged: number[] = [];
  readonly #refused: number[] = [];
  #number: number;
  #customers: string[] = [];
  #applications: string[] = [];
  #endpoints: string[] = [];
  #firstEvent = '';
  #file = '';
  #tenancy = '';

  constructor(parts: { url: string; key: string; sizes: Sizes; receiver: string; firstNumber: number }) {
    this.#url = parts.url;
    this.#key = parts.key;
    this.#sizes = parts.sizes;
    this.#receiver = parts.receiver;
    this.#number = parts.firstNumber;
    this.#client = new Pool(parts.url, { connections: 64 });
    this.#crowd = new Pool(parts.url, { connections: 500, pipelining: 2 });
  }

  report(): Report {
    return {
      statuses: Object.fromEntries(this.#statuses),
      writes: { acknowledged: this.#acknowledged, refused: this.#refused },
    };
  }

  /** Makes the records that the attack reads and changes. */
  async prepare(): Promise<void> {
    const { downloads, pdfs, events, workflows } = this.#sizes;
    this.#customers = await eightAtOnce(largeRecords, () => this.#made('customers', largeCustomer()));
    const { data } = await this.#get('/v1/events?limit=1&type=customer.created');
    this.#firstEvent = data[0]!.id;
    const body = { url: this.#receiver, enabled_events: ['customer.created', 'customer.updated'] };
    this.#endpoints = await eightAtOnce(events, () => this.#made('webhook_endpoints', body));
    // Each event of an update has the record before and after.
    await eightAtOnce(largeRecords, (index) => {
      const customer = index % 2 === 0 ? largeCustomer('ß') : wideCustomer();
      return this.#made(`customers/${this.#customers[index]!}`, customer);
    });
    this.#applications = await eightAtOnce(50, (made) => {
      const customers = Array.from({ length: 4 }, (_, index) => this.#customers[(made + index) % largeRecords]!);
      return this.#made('applications', { customers });
    });
    if (downloads > 0) this.#file = await this.#uploaded();
    if (pdfs > 0) this.#tenancy = await this.#makeTenancy();
    await eightAtOnce(workflows, async (index) => {
      const id = await this.#made('workflows', largeWorkflow(index));
      await this.#made(`workflows/${id}/activate`, {});
    });
  }

  /** Begins all ways. They never end. */
  begin(): void {
    const acts: Record<Way, (index: number) => void> = {
      streams: () => this.#openStream(),
      events: () => {},
      posts: () => void this.#repeat(() => this.#writeLarge()),
      updates: (index) => void this.#repeat(() => this.#writeSmall(index)),
      answers: (index) => this.#writeUnread(index),
      lists: (index) => this.#read('/v1/events?limit=50&type=customer.updated', index),
      expansions: (index) => this.#read('/v1/applications?limit=25&expand=data.customers', index),
      searches: (index) => this.#read('/v1/search?query=ada', index),
      logs: (index) => this.#read('/v1/logs?limit=50', index),
      downloads: (index) => this.#read(`/v1/files/${this.#file}/contents`, index),
      uploads: () => this.#trickle(),
      recoveries: (index) => void this.#repeat(() => this.#recover(index)),
      erasures: () => void this.#repeat(() => this.#erase()),
      pdfs: (index) => this.#read(`/v1/tenancies/${this.#tenancy}/statement?format=pdf`, index),
      headers: () => this.#pipeline(),
      imports: () => void this.#repeat(() => this.#import()),
      workflows: (index) => {
        // One request starts a run of each, so nine clients are enough.
        if (index % 12 === 0) void this.#repeat(() => this.#startWorkflows());
      },
    };
    for (const [way, act] of Object.entries(acts) as [Way, (index: number) => void][])
      for (let index = 0; index < this.#sizes[way]; index++) act(index);
  }

  async #repeat(act: () => Promise<number>): Promise<never> {
    for (;;) {
      const status = await act().catch(() => 0);
      if (status !== 200) await delay(retryMs);
    }
  }

  async #writeLarge(): Promise<number> {
    const number = ++this.#number;
    const body = (number % 2 === 0 ? largeBody : paddedBody).replace('"n":""', `"n":"${number}"`);
    return this.#write(this.#crowd, '/v1/customers', body, number);
  }

  /** A few bytes change a large record, and each change has a large event. */
  async #writeSmall(index: number): Promise<number> {
    const id = this.#customers[index % this.#customers.length]!;
    const number = ++this.#number;
    return this.#write(
      this.#client,
      `/v1/customers/${id}`,
      JSON.stringify({ metadata: { n: String(number) } }),
      number,
    );
  }

  async #write(client: Pool, path: string, body: string, number: number): Promise<number> {
    const { status } = await this.#post(client, path, body);
    if (status === 200) this.#acknowledged.push(number);
    else if (status >= 400 && status !== 500) this.#refused.push(number);
    return status;
  }

  async #recover(index: number): Promise<number> {
    const endpoint = this.#endpoints[index % Math.max(1, this.#endpoints.length)];
    if (endpoint === undefined) return 0;
    const since = Math.floor(Date.now() / 1000) - 3_600;
    const { status } = await this.#post(this.#client, `/v1/webhook_endpoints/${endpoint}/recover`, { since });
    await delay(1_000);
    return status;
  }

  async #erase(): Promise<number> {
    const made = await this.#post(this.#client, '/v1/customers', largeCustomer());
    if (made.status !== 200) return made.status;
    for (let updated = 0; updated < 4; updated++)
      await this.#post(
        this.#client,
        `/v1/customers/${made.id}`,
        updated % 2 === 0 ? largeCustomer('ß') : wideCustomer(),
      );
    const { statusCode, body } = await this.#client.request({
      method: 'DELETE',
      path: `/v1/customers/${made.id}`,
      headers: { authorization: `Bearer ${this.#key}` },
    });
    await body.dump();
    this.#count(`DELETE /v1/customers ${statusCode}`);
    return statusCode;
  }

  /** Makes a record, and retries until it is made. */
  async #made(path: string, body: object): Promise<string> {
    for (;;) {
      // A connection may break under load.
      const { status, id } = await this.#post(this.#client, `/v1/${path}`, body).catch(() => ({ status: 503, id: '' }));
      if (status === 200) return id;
      if (status !== 429 && status !== 503) throw new Error(`POST ${path} was refused: ${status}.`);
      await delay(retryMs);
    }
  }

  async #post(client: Pool, path: string, body: object | string): Promise<{ status: number; id: string }> {
    const { statusCode: status, body: response } = await client.request({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      // Otherwise a connection would not take a second one.
      idempotent: true,
      blocking: false,
    });
    const { id } = (await response.json()) as { id: string };
    this.#count(`POST ${path.split('/').slice(0, 3).join('/')} ${status}`);
    return { status, id };
  }

  async #get(path: string): Promise<{ data: { id: string }[] }> {
    const { body } = await this.#client.request({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${this.#key}` },
    });
    return (await body.json()) as { data: { id: string }[] };
  }

  #count(name: string): void {
    this.#statuses.set(name, (this.#statuses.get(name) ?? 0) + 1);
  }

  async #uploaded(): Promise<string> {
    const form = new FormData();
    form.append('purpose', 'reference_report');
    form.append('file', new Blob([largePdf], { type: 'application/pdf' }), 'report.pdf');
    const response = await fetch(`${this.#url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}` },
      body: form,
    });
    return ((await response.json()) as { id: string }).id;
  }

  async #makeTenancy(): Promise<string> {
    const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
    const rent = { amount: 95_000, currency: 'gbp', interval: 'month' };
    const building = await this.#made('buildings', { name: 'Coppergate', address });
    const unit = await this.#made('units', { building, name: 'Flat', rent });
    return this.#made('tenancies', { unit, customers: [this.#customers[0]!], start_date: '2026-12-01', rent });
  }

  /** Sends a request. Reads its response slowly if the index is odd, and not at all otherwise. Repeats it after a disconnect. */
  #read(path: string, index: number): void {
    this.#unread(`GET ${path} HTTP/1.1\r\n\r\n`, () => this.#read(path, index), index % 2 === 1);
  }

  #writeUnread(index: number): void {
    const [path, body] =
      index % 2 === 0
        ? ['/v1/customers', JSON.stringify(largeCustomer())]
        : [
            `/v1/applications/${this.#applications[index % this.#applications.length]!}?expand=customers`,
            JSON.stringify({ customers: this.#customers.slice(0, 2), metadata: { n: String(index) } }),
          ];
    const head = `POST ${path} HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    this.#unread(head + body, () => this.#writeUnread(index), index % 4 === 3);
  }

  #unread(request: string, again: () => void, isSlow: boolean): void {
    const socket = this.#connect(again, retryMs);
    socket.write(this.#withKey(request));
    const reading = isSlow ? setInterval(() => socket.read(slowBytes) ?? socket.read(), slowEveryMs) : undefined;
    socket.once('close', () => clearInterval(reading));
  }

  /** Sends requests with large headers at once on one connection, and reads no response. */
  #pipeline(): void {
    const socket = this.#connect(() => this.#pipeline(), retryMs);
    socket.write(this.#withKey(`GET /v1/references HTTP/1.1\r\n${largeHeaders}\r\n`).repeat(pipelined));
  }

  /** Imports the largest bank statement. No line is known. */
  async #import(): Promise<number> {
    const line = `2026-02-01,950.00,RENT ${++this.#number},Ada`;
    const form = new FormData();
    const lines = Array.from({ length: 2_000 }, (_, index) => `${line} ${index}\n`);
    form.append('file', new Blob(['date,amount,reference,payer\n', ...lines]), 'statement.csv');
    const response = await fetch(`${this.#url}/v1/payments/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}` },
      body: form,
    });
    await response.arrayBuffer();
    this.#count(`POST /v1/payments/import ${response.status}`);
    return response.status;
  }

  /** One small request starts a run of each workflow. */
  async #startWorkflows(): Promise<number> {
    return (await this.#post(this.#client, '/v1/applications', { customers: this.#customers.slice(0, 1) })).status;
  }

  #openStream(): void {
    const socket = this.#connect(() => this.#openStream(), retryMs);
    socket.write(this.#withKey(`GET /v1/events/stream?after=${this.#firstEvent} HTTP/1.1\r\n\r\n`));
    const resuming = setInterval(() => {
      socket.resume();
      setTimeout(() => socket.pause(), resumedMs);
    }, pausedMs);
    socket.once('close', () => clearInterval(resuming));
  }

  /** Sends a file of 10 MB, 64 kB at a time. */
  #trickle(): void {
    const socket = this.#connect(() => this.#trickle(), retryMs);
    socket.resume();
    const head =
      '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nreference_report\r\n' +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\n';
    const length = head.length + largePdf.length + '\r\n--b--\r\n'.length;
    socket.write(
      this.#withKey(
        `POST /v1/files HTTP/1.1\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\n\r\n${head}`,
      ),
    );
    let sent = 0;
    const sending = setInterval(() => {
      if (sent < largePdf.length) socket.write(largePdf.subarray(sent, (sent += 64 * 1024)));
      else if (socket.writable) socket.end('\r\n--b--\r\n');
    }, slowEveryMs);
    socket.once('close', () => clearInterval(sending));
  }

  #withKey(request: string): string {
    return request.replace('\r\n', `\r\nhost: localhost\r\nauthorization: Bearer ${this.#key}\r\n`);
  }

  #connect(again: () => void, againMs: number): Socket {
    const { hostname, port } = new URL(this.#url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.on('error', () => {});
    socket.on('close', () => setTimeout(again, againMs));
    return socket;
  }
}

/** Does so many things, eight at once. Returns their results. */
async function eightAtOnce<Result>(count: number, act: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await act(index);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return results;
}

/** Returns nearly 256 kB, the largest accepted body. */
function largeCustomer(character = '€'): { name: string; addresses: object[] } {
  return customerOf(character.repeat(500), 42);
}

/** Returns a customer whose texts take twice their bytes in memory: V8 stores a text with one wide character as two bytes a character. */
function wideCustomer(): { name: string; addresses: object[] } {
  return customerOf(`${'x'.repeat(499)}€`, 50);
}

function customerOf(text: string, count: number): { name: string; addresses: object[] } {
  const address = { line1: text, line2: text, city: text, postal_code: text, country: 'GB' };
  return { name: 'Ada', addresses: Array.from({ length: count }, () => address) };
}

/** Returns a workflow of the largest size. Its runs begin with each application, and then wait. */
function largeWorkflow(index: number): object {
  const text = `€${'x'.repeat(120_000)}`;
  return {
    name: `Large ${index}`,
    trigger: { type: 'application.created' },
    steps: [
      { id: 'pause', action: 'wait', seconds: 100_000 },
      { id: 'call', action: 'http', url: 'http://127.0.0.1:9/', body: { one: text, other: text } },
    ],
    permissions: [],
  };
}

const largePdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(10_000_000, 'x'), Buffer.from('\n%%EOF\n')]);

/** A body of the largest size, and one that is mostly white space. Logs keep the text of a body as it is. */
const largeBody = JSON.stringify({ ...largeCustomer(), metadata: { n: '' } });
const paddedBody = JSON.stringify({ ...wideCustomer(), metadata: { n: '' } }).padEnd(260_000);
