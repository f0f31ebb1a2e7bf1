import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { largeCustomer, postLarge } from '../support/large-bodies.ts';
import { processesForTest } from '../support/processes.ts';
import { Scrape } from '../support/prometheus.ts';
import { receiverForTest } from '../support/receiver.ts';
import { apiClient, good } from '../support/server.ts';
import { endpointFor } from './scenario.ts';

const endpointCount = 100;
const eventCount = 40;

/** The memory above that of the same requests without endpoints. */
const grownMegabytesMax = 100;

test('bounds memory when 40 large events go to 100 hanging endpoints, and delivers all when they respond', async () => {
  const processes = await processesForTest();
  const server = await processes.start({
    NODE_OPTIONS: '--max-old-space-size=512 --max-semi-space-size=8',
    TENURE_RETRY_SCHEDULE: '2,2,2,2,2,2,2,2,2,2',
  });
  const api = apiClient(server.url, processes.secretKey);
  const scrape = async () => new Scrape(await (await fetch(`${server.url}/metrics`)).text());
  const megabytes = async () => (await scrape()).value('tenure_process_resident_memory_bytes')! / 1e6;
  const makeLarge = () => postLarge(api, '/v1/customers', largeCustomer());
  for (let made = 0; made < eventCount; made++) await makeLarge();
  const before = await megabytes();

  const hanging = await countingReceiver();
  for (let made = 0; made < endpointCount; made++) {
    await endpointFor(api, hanging.url, { enabled_events: ['customer.created'] });
  }
  const { body: account } = await good(api.post('/v1/accounts', { name: 'Another' }));
  const context = { 'service-context': account.id };
  const permissions = ['customers.write', 'webhook_endpoints.write', 'events.read'];
  const { body: key } = await good(api.post('/v1/api_keys', { type: 'restricted', permissions }, context));
  const another = apiClient(server.url, key.secret);
  const healthy = await receiverForTest();
  await endpointFor(another, healthy.url, { enabled_events: ['customer.created'] });

  let most = 0;
  const look = () => megabytes().then((now) => void (most = Math.max(most, now)));
  const watching = setInterval(() => void look().catch(() => {}), 100);
  onTestFinished(() => clearInterval(watching));
  for (let made = 0; made < eventCount; made++) await makeLarge();
  await expect.poll(() => hanging.count()).toBeGreaterThan(endpointCount);
  for (let made = 1; made <= 5; made++) {
    await postLarge(another, '/v1/customers', largeCustomer());
    await healthy.count(made);
  }
  // Longer than an attempt, so that each endpoint has been retried.
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  hanging.answerAll();
  const expected = endpointCount * eventCount;
  await expect.poll(() => hanging.answered(), { timeout: 300_000, interval: 500 }).toBe(expected);
  clearInterval(watching);
  process.stdout.write(`large events: ${most.toFixed(0)} MB, ${before.toFixed(0)} MB before\n`);
  expect(most - before).toBeLessThan(grownMegabytesMax);
  await expect.poll(async () => (await scrape()).value('tenure_held_bytes{kind="deliveries"}')).toBe(0);
});

interface CountingReceiver {
  url: string;
  /** Requests received, with or without a response. */
  count(): number;
  /** Deliveries that got a response. */
  answered(): number;
  answerAll(): void;
}

/** A receiver that hangs until told to respond. It stores no body, because they add up to a gigabyte. */
async function countingReceiver(): Promise<CountingReceiver> {
  const waiting: (() => void)[] = [];
  const answered = new Set<string>();
  let [count, answers] = [0, false];
  const server: Server = createServer((request, response: ServerResponse) => {
    const answer = (): void => {
      if (response.destroyed) return;
      answered.add(String(request.headers['service-delivery-id']));
      response.writeHead(200).end();
    };
    request.resume().on('end', () => {
      count++;
      if (answers) answer();
      else waiting.push(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    count: () => count,
    answered: () => answered.size,
    answerAll() {
      answers = true;
      for (const answer of waiting) answer();
    },
  };
}
