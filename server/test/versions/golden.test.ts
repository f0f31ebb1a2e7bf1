import { expect, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest, type Api, type ApiResponse } from '../support/server.ts';
import { StillClock } from '../support/still-clock.ts';
import { versions, words } from '../support/versions.ts';

/*
 * Runs one scenario in every version, as a client of that version sees it. A golden file differs only if a response does. After an intended
 * change, `npm test -- golden -u` rewrites it, and the difference is reviewed.
 */

test.each(versions)(
  'returns exactly the stored responses and webhooks when an integration uses %s',
  async (version) => {
    await expect(await storyIn(version)).toMatchFileSnapshot(`golden/${version}.json`);
  },
);

/** Returns each step's request and response, and the requests to the endpoint. */
async function storyIn(version: string): Promise<string> {
  const { api } = await serverForTest({
    // The account's first request pins it, which is an event of the system.
    unpinned: true,
    settings: { TENURE_LATEST_VERSION: version },
    // Each run has the same times and ids: ids of one millisecond are numbered.
    overrides: { clock: new StillClock(Date.UTC(2026, 10, 2)), randomBytes: alwaysTheSame },
  });
  const receiver = await receiverForTest();
  const story = new Story(api, receiver.url);
  const { file } = words[version]!;
  const misspelt = { pdf: 'pfd', reference_pdf: 'refrence_pdf' }[file]!;
  const key = { 'idempotency-key': 'a key of its own' };

  const endpoint = await story.post('/v1/webhook_endpoints', {
    url: receiver.url,
    enabled_events: ['reference.updated'],
  });
  const customer = await story.post('/v1/customers', { name: 'Ada', email: 'ada@example.org' });
  const metadata = { pdf: 'the client’s own', reference_pdf: 'as well', count: '1' };
  const { id } = await story.post('/v1/references', { application: 'app_1', customer: customer.id, metadata });
  const other = await story.post('/v1/references', {
    application: 'app_2',
    automatic_reference: { enabled: true, provider: 'provider_b' },
  });
  await story.post(`/v1/references/${id}`, { [file]: 'file_1' });
  await story.post(`/v1/references/${id}`, { [file]: 'file_2', outcome: 'accept' }, key);
  await story.post(`/v1/references/${other.id}/cancel`);
  await story.post(`/v1/references/${other.id}`, { [file]: 'file_1' });
  await story.post(`/v1/references/${id}`, { [file]: 'no file' });
  await story.post(`/v1/references/${id}`, { [misspelt]: 'file_1' });
  await story.get('/v1/references');
  await story.get(`/v1/references/${id}?expand=customer,${file}`);
  await story.get('/v1/references?expand=data.customer&status=complete');
  const events = await story.get(`/v1/events?object_id=${id}`);
  await story.get(`/v1/events/${events.data[0].id}`);
  await story.get('/v1/events?type=account.updated');
  const sent = await receiver.count(3);
  await story.delete(`/v1/webhook_endpoints/${endpoint.id}`);

  // Webhooks may arrive in any order.
  const webhooks = sent.toSorted((left, right) => (left.body.id < right.body.id ? -1 : 1));
  return story.withWebhooks(webhooks.map(({ headers, raw }) => ({ headers, text: raw.toString('utf8') })));
}

class Story {
  readonly #api: Api;
  readonly #receiverUrl: string;
  readonly #steps: object[] = [];

  constructor(api: Api, receiverUrl: string) {
    this.#api = api;
    this.#receiverUrl = receiverUrl;
  }

  get(path: string): Promise<ApiResponse['body']> {
    return this.#tell(`GET ${path}`, undefined, this.#api.get(path));
  }

  post(path: string, body?: object, headers?: Record<string, string>): Promise<ApiResponse['body']> {
    return this.#tell(`POST ${path}`, body, this.#api.post(path, body, headers));
  }

  delete(path: string): Promise<ApiResponse['body']> {
    return this.#tell(`DELETE ${path}`, undefined, this.#api.delete(path));
  }

  async #tell(
    request: string,
    body: object | undefined,
    answering: Promise<ApiResponse>,
  ): Promise<ApiResponse['body']> {
    const { status, headers, text, body: answer } = await answering;
    this.#steps.push({
      request,
      body,
      status,
      'service-version': headers.get('service-version'),
      answer: exactly(text),
    });
    return answer;
  }

  withWebhooks(webhooks: { headers: Record<string, unknown>; text: string }[]): string {
    const sent = webhooks.map(({ headers, text }) => ({
      'service-version': headers['service-version'],
      body: exactly(text),
    }));
    const told = JSON.stringify({ requests: this.#steps, webhooks: sent }, null, 2);
    // The only member that differs each time.
    return `${told.replaceAll(this.#receiverUrl, 'http://receiver.example/hook')}\n`;
  }
}

/** Formats a body for the file. Nothing is lost: the bytes have no further spaces, and members keep their order. */
function exactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  expect(JSON.stringify(value)).toBe(text);
  return value;
}

/** Returns the same bytes each time. This scenario generates no key twice, and ids differ by their number. */
function alwaysTheSame(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 7) % 248);
}
