import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Agency } from '../letting/agency.ts';
import { rent, startDay, type Made } from '../letting/agency.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';

/** Milliseconds after which a session may send again. */
const pauseMs = 220;

/** A person in the portal, by the token of an opened session. Waits when the session sends too fast. */
export class Renter {
  readonly url: string;
  readonly token: string;
  readonly sessionId: string;
  readonly customerId: string;

  constructor(url: string, { token, sessionId, customerId }: { token: string; sessionId: string; customerId: string }) {
    this.url = url;
    this.token = token;
    this.sessionId = sessionId;
    this.customerId = customerId;
  }

  /** Makes a link for a person, and opens it. */
  static async of(agency: Agency, { url }: TestServer, customer: string, more: object = {}): Promise<Renter> {
    const session = await agency.make('portal_sessions', { customer, ...more });
    const { body } = await good(open(url, tokenIn(session)));
    return new Renter(url, { token: body.session_token as string, sessionId: session.id, customerId: customer });
  }

  /** Returns several sessions of a person, which together send faster than one. */
  static async manyOf(agency: Agency, server: TestServer, customer: string): Promise<Renter[]> {
    return Promise.all(Array.from({ length: 8 }, () => Renter.of(agency, server, customer)));
  }

  /** Returns the same session at another process. */
  at({ url }: { url: string }): Renter {
    return new Renter(url, this);
  }

  get(path: string): Promise<ApiResponse> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<ApiResponse> {
    return this.send('POST', path, body);
  }

  async send(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    for (;;) {
      const answer = await this.sendOnce(method, path, body);
      if (answer.status !== 429) return answer;
      await delay(pauseMs);
    }
  }

  async sendOnce(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return answerOf(
      await fetch(`${this.url}/v1/portal/${path}`, {
        method,
        headers: { authorization: `Bearer ${this.token}`, ...typeOf(body) },
        ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      }),
    );
  }

  /** Returns the records of a list. */
  async list(path: string): Promise<Made[]> {
    return (await good(this.get(path))).body.data as Made[];
  }
}

/** Opens a link. */
export function open(url: string, token: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return postTo(url, 'open', { token }, headers);
}

/** Sends a request to the portal, without a session. */
export async function postTo(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return answerOf(
    await fetch(`${url}/v1/portal/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
}

/** Returns the token in the link of a new session. */
export function tokenIn({ url }: Made): string {
  return new URL(url as string).hash.slice(1);
}

export function expectInvalid(answer: ApiResponse): void {
  expect([answer.status, answer.body.error?.code], answer.text).toEqual([401, 'portal_session_invalid']);
}

async function answerOf(response: Response): Promise<ApiResponse> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
}

function typeOf(body: unknown): Record<string, string> {
  return body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' };
}

/** A signed tenancy of two persons with a guarantor, which came from their application. */
export interface Let {
  lead: Made;
  joint: Made;
  guarantor: Made;
  application: Made;
  tenancy: Made;
  deposit: Made;
  invoice: Made;
  payments: { lead: Made; guarantor: Made };
  guarantee: Made;
  reference: Made;
}

/** Lets a home. Each person has a name that occurs nowhere else. */
export async function letHome(agency: Agency, names: { lead: string; joint: string; guarantor: string }): Promise<Let> {
  const person = (name: string): Promise<Made> =>
    agency.make('customers', { name, email: 'someone@example.com', phone: `01904 ${name}` });
  const lead = await person(names.lead);
  const joint = await person(names.joint);
  const guarantor = await person(names.guarantor);
  const { id: unit } = await agency.unit({ rent, on_market: true });
  const customers = [lead.id, joint.id];
  const application = await agency.application({ customers, unit, rent });
  const guarantee = await agency.make('guarantors', { application: application.id, customer: guarantor.id });
  const reference = await agency.make('references', { application: application.id, customer: lead.id });
  const drafted = await agency.draft(unit, { customers, application: application.id, type: 'company' });
  const deposit = await agency.make('deposits', { type: 'tenancy', tenancy: drafted.id, amount: 50_000 });
  const tenancy = await agency.move('tenancies', drafted.id, 'sign', { signed_on: startDay });
  const lines = [{ type: 'rent', description: 'February', amount: 95_000 }];
  const invoice = await agency.make('invoices', { tenancy: tenancy.id, lines, due_on: '2027-02-01', finalize: true });
  const pay = (customer: string, amount: number): Promise<Made> =>
    agency.make('payments', {
      tenancy: tenancy.id,
      amount,
      method: 'bank_transfer',
      customer,
      reference: `paid by ${customer}`,
    });
  const payments = { lead: await pay(lead.id, 10_000), guarantor: await pay(guarantor.id, 5_000) };
  return { lead, joint, guarantor, application, tenancy, deposit, invoice, payments, guarantee, reference };
}
