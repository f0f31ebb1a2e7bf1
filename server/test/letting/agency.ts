import { expect } from 'vitest';
import { breakDays } from '../../src/maintenance/daybreak.ts';
import type { Clock } from '../../src/core/clock.ts';
import { allPermissions } from '../support/permissions.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

/** The day on which the tests begin, at noon in London. */
export const startDay = '2027-01-04';
const daySeconds = 86_400;
export const dawnMsMax = waitMs;

export const rent = { amount: 95_000, currency: 'gbp', interval: 'month' };

/** The most that a holding deposit and a tenancy deposit can be for this rent. */
export const week = 21_923;
export const fiveWeeks = 109_615;

/** A clock that starts at noon of a day, and goes on as the real one does. */
export function lettingClock(day = startDay): Clock {
  const startMs = Date.parse(`${day}T12:00:00Z`);
  const beganMs = Date.now();
  return { nowMs: () => startMs + Date.now() - beganMs };
}

/** Starts a server whose first day is `startDay`. */
export function startLetting(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  return startTestServer({ ...options, overrides: { clock: lettingClock(), ...options?.overrides } });
}

/** Makes the changes of the days that have begun, as a worker does each minute. */
export function dawn({ context }: TestServer): Promise<number> {
  return breakDays(context, AbortSignal.timeout(dawnMsMax));
}

/** Moves the sandbox's clock. */
export async function advance({ api }: TestServer, days: number): Promise<void> {
  await good(api.post('/v1/test_helpers/clock/advance', { seconds: days * daySeconds }));
}

/** An account with homes to let, and short names for its requests. */
export class Agency {
  readonly accountId: string;
  readonly api: Api;

  constructor(accountId: string, api: Api) {
    this.accountId = accountId;
    this.api = api;
  }

  static async on(server: TestServer): Promise<Agency> {
    const { accountId } = await addAccount(server);
    const { api } = await addKey(server, accountId, { permissions: allPermissions });
    return new Agency(accountId, api);
  }

  /** Creates a record, and returns it. */
  async make(path: string, body: object): Promise<Made> {
    return (await good(this.api.post(`/v1/${path}`, body))).body as Made;
  }

  async get(path: string, id: string): Promise<Made> {
    return (await good(this.api.get(`/v1/${path}/${id}`))).body as Made;
  }

  /** Moves a record, and returns it. */
  async move(path: string, id: string, name: string, body: object = {}): Promise<Made> {
    return (await good(this.api.post(`/v1/${path}/${id}/${name}`, body))).body as Made;
  }

  building(more: object = {}): Promise<Made> {
    const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
    return this.make('buildings', { name: 'Coppergate', address, ...more });
  }

  async unit(more: { building?: string } & Record<string, unknown> = {}): Promise<Made> {
    const building = more.building ?? (await this.building()).id;
    return this.make('units', { name: 'Flat 2', ...more, building });
  }

  application(more: object = {}): Promise<Made> {
    return this.make('applications', { customers: ['tenant_1'], ...more });
  }

  draft(unit: string, more: object = {}): Promise<Made> {
    return this.make('tenancies', { unit, customers: ['tenant_1'], start_date: '2027-02-01', rent, ...more });
  }

  async signed(unit: string, more: object = {}): Promise<Made> {
    const { id } = await this.draft(unit, more);
    return this.move('tenancies', id, 'sign', { signed_on: startDay });
  }

  /** A unit on the market, with an open application. */
  async applied(): Promise<{ unit: string; application: string }> {
    const { id: unit } = await this.unit({ rent, on_market: true });
    const { id: application } = await this.application({ unit, rent });
    return { unit, application };
  }

  holding(application: string, amount = week): Promise<Made> {
    return this.make('deposits', { type: 'holding', application, amount });
  }

  payDeposit(deposit: string, amount: number, more: object = {}): Promise<Made> {
    return this.make('payments', { deposit, amount, method: 'bank_transfer', ...more });
  }

  /** A tenancy that is signed on the first day, with a deposit that is received. */
  async secured(): Promise<{ tenancy: string; deposit: string }> {
    const { id: tenancy } = await this.signed((await this.unit()).id);
    const { id: deposit } = await this.make('deposits', { type: 'tenancy', tenancy, amount: fiveWeeks });
    await this.payDeposit(deposit, fiveWeeks);
    return { tenancy, deposit };
  }

  /** Returns the types of the events of a request, each with the id of its record, in their order. */
  async eventsOf(answer: ApiResponse): Promise<string[]> {
    const { body } = await good(this.api.get('/v1/events?limit=50'));
    const requestId = answer.headers.get('request-id');
    const events = body.data as { type: string; request: { id: string }; data: { object: { id: string } } }[];
    return events
      .filter(({ request }) => request.id === requestId)
      .map(({ type }) => type)
      .toReversed();
  }

  /** Returns the types of all events about a record, the oldest first. */
  async historyOf(id: string): Promise<string[]> {
    const { body } = await good(this.api.get(`/v1/events?limit=50&related_object=${id}`));
    const events = body.data as { type: string; data: { object: { id: string } } }[];
    return events
      .filter(({ data }) => data.object.id === id)
      .map(({ type }) => type)
      .toReversed();
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- Tests look into records freely.
export type Made = { id: string; status: string } & Record<string, any>;

/** Expects a refusal with this code, and with the parameter if it is given. */
export function expectCode(answer: ApiResponse, code: string, more: Record<string, unknown> = {}): void {
  expect(answer.status, answer.text).toBe(400);
  expect(answer.body.error, answer.text).toMatchObject({ code, ...more });
}
