import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { startGateway, type SimulatedGateway } from '../../src/gateway-payments/simulator/index.ts';
import { Agency, type Made } from '../letting/agency.ts';
import { good, type TestServer } from '../support/server.ts';
import { waitMs } from '../support/wait.ts';

/** Days that no test waits for: the gateway does only what a test helper says. */
export const slow = { settings: { TENURE_SIMULATOR_SPEED: '80000' }, works: true } as const;

/** An agency with a signed tenancy. */
export interface Let {
  agency: Agency;
  tenancy: Made;
}

export async function letOn(server: TestServer): Promise<Let> {
  const agency = await Agency.on(server);
  const { id: unit } = await agency.unit();
  const day = new Date(server.context.clock.nowMs()).toISOString().slice(0, 10);
  const { id } = await agency.draft(unit, { start_date: day });
  return { agency, tenancy: await agency.move('tenancies', id, 'sign', { signed_on: day }) };
}

/** Demands 950 pounds of rent, due on a day. */
export function invoiceFor({ agency, tenancy }: Let, dueOn = '2027-02-01'): Promise<Made> {
  const lines = [{ type: 'rent', description: 'Rent', amount: 95_000 }];
  return agency.make('invoices', { tenancy: tenancy.id, lines, due_on: dueOn, finalize: true });
}

/** Has the gateway collect 950 pounds. */
export function collect(
  { agency, tenancy }: Let,
  { simulate, ...more }: { simulate?: string; [member: string]: unknown } = {},
): Promise<Made> {
  return agency.make('payments', {
    tenancy: tenancy.id,
    amount: 95_000,
    method: 'direct_debit',
    provider: 'simulator',
    ...(simulate !== undefined && { metadata: { simulate } }),
    ...more,
  });
}

/** Calls a test helper of a payment. */
export async function help({ agency }: Let, id: string, name: 'succeed' | 'fail', body: object = {}): Promise<Made> {
  return (await good(agency.api.post(`/v1/test_helpers/payments/${id}/${name}`, body))).body as Made;
}

/** Waits until the payment is as wanted. */
export async function untilPayment({ agency }: Let, id: string, wanted: object, timeoutMs = waitMs): Promise<Made> {
  let last: Made;
  await expect
    .poll(async () => (last = await agency.get('payments', id)), { timeout: timeoutMs, interval: 25 })
    .toMatchObject(wanted);
  return last!;
}

/** Returns the ledger: the type, the amount and the balance of each entry. */
export async function ledgerOf({ agency, tenancy }: Let): Promise<[string, number, number][]> {
  const { body } = await good(agency.api.get(`/v1/tenancies/${tenancy.id}/ledger?limit=50`));
  const entries = body.data as { type: string; amount: number; balance: number }[];
  return entries.map(({ type, amount, balance }): [string, number, number] => [type, amount, balance]).toReversed();
}

/** A gateway between the server and the simulated one, whose calls a test can disturb. */
export interface GatewayInTheMiddle {
  url: string;
  /** The calls in the order of their arrival, such as `POST /charges`. */
  calls: string[];
  /** Chooses what happens to a call. By default it is passed on. */
  disturb: (call: string) => Disturbance | Promise<Disturbance>;
  /** Starts the simulated gateway behind it, on the database of a server. */
  join(server: TestServer): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `pass`: nothing. `refuse`: the gateway never gets the call. The others pass the call on, and then spoil its response. `lose` cuts the
 * connection, and `garble` sends no JSON.
 */
export type Disturbance = 'pass' | 'refuse' | 'busy' | 'lose' | 'error' | 'garble';

/** Starts a gateway in the middle. The server must ask it at its address. */
export async function startGatewayInTheMiddle(): Promise<GatewayInTheMiddle> {
  let target: URL | null = null;
  let simulated: SimulatedGateway | null = null;
  const middle = createServer((incoming, response) => void handle(incoming, response));
  middle.listen(0, '127.0.0.1');
  await once(middle, 'listening');
  const gateway: GatewayInTheMiddle = {
    url: `http://127.0.0.1:${(middle.address() as AddressInfo).port}`,
    calls: [],
    disturb: () => 'pass',
    async join({ context }) {
      const { database, encryption, clock, realClock, log, config } = context;
      simulated = await startGateway({
        pool: database.readers,
        encryption,
        clock,
        realClock,
        log,
        workingDaySeconds: config.simulatedDaySeconds,
      });
      target = new URL(simulated.url);
    },
    async stop() {
      middle.closeAllConnections();
      await Promise.all([new Promise((resolve) => middle.close(resolve)), simulated?.stop()]);
    },
  };
  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const call = `${incoming.method} ${incoming.url!.replace(/ch_\w+/, 'ch')}`;
    gateway.calls.push(call);
    const disturbance = target === null ? 'refuse' : await gateway.disturb(call);
    if (disturbance === 'busy') return void response.writeHead(429, { 'retry-after': '1' }).end();
    if (disturbance === 'refuse') return void response.writeHead(503).end();
    const { status, text } = await passOn(target!, incoming, Buffer.concat(chunks));
    if (disturbance === 'lose') response.destroy();
    else if (disturbance === 'error') response.writeHead(500).end();
    else if (disturbance === 'garble') response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
    else response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  }
  return gateway;
}

function passOn(
  target: URL,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = target;
    const passed = send({ hostname, port, method, path: url, headers: { ...headers, host: target.host } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode!, text: Buffer.concat(chunks).toString() }));
    });
    passed.on('error', reject);
    passed.end(body);
  });
}

/** The books of the gateway: for each payment, what it took and sent back. */
export async function gatewayBooks(server: TestServer): Promise<Map<string, { state: string; kept: number }>> {
  const { rows } = await server.context.database.readers.query<{
    key: string;
    amount: number;
    course: { to: string; atMs: number }[];
    refunds: { amount: number; refusal: string | null; atMs: number }[];
  }>('select key, amount, course, refunds from simulated_charges');
  const nowMs = server.context.clock.nowMs();
  return new Map(
    rows.map(({ key, amount, course, refunds }) => {
      const state = course.findLast(({ atMs }) => atMs <= nowMs)?.to ?? 'submitted';
      const sent = refunds
        .filter(({ refusal, atMs }) => refusal === null && atMs <= nowMs)
        .reduce((sum, refund) => sum + refund.amount, 0);
      return [key, { state, kept: state === 'paid' ? amount - sent : 0 }];
    }),
  );
}
