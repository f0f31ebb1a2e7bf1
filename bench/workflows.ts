import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from './deployment.ts';
import { runLoad } from './load/wrk.ts';
import { requestBody } from './sample.ts';
import {
  inTurn,
  median,
  percentile,
  ratio,
  verify,
  type Bench,
  type Figure,
  type Reading,
  type Suite,
} from './suite.ts';

/** Events whose first step is timed, one after the other, with a pause between them. */
const samples = 60;
const warmUps = 10;
const pauseMs = 100;

/** Workflows that hear of each new reference, and whose conditions none meets. */
const workflowCount = 20;
const pairs = 4;

/** Runs that each wait for an event about a person of its own. The load makes events of that type, about other persons. */
const waitingRuns = 10_000;
const loadSeconds = 2;

const step: Figure = {
  title: 'From the response to the request of a workflow’s first step, p50',
  unit: 'ms',
  better: 'less',
  floor: 1_000,
  aim: 100,
  needs: [],
};

/** Measures how soon a workflow begins, and what workflows that do not match cost other requests. */
export const workflows: Suite<'step' | 'stepP99' | 'beside' | 'waiting'> = {
  name: 'workflows',
  roundsMax: 2,
  figures: {
    step,
    stepP99: { ...step, title: 'the same, p99', floor: null, aim: null },
    beside: {
      title: `POST beside ${workflowCount} workflows that do not match, against POST without workflows`,
      unit: 'times',
      better: 'more',
      floor: 0.9,
      aim: 0.95,
      needs: ['wrk'],
    },
    waiting: {
      title: `POST beside ${waitingRuns.toLocaleString('en')} runs that wait for such an event about another person, against POST without`,
      unit: 'times',
      better: 'more',
      floor: 0.9,
      aim: 0.97,
      needs: ['wrk'],
    },
  },
  async round(bench, round) {
    const { deployment, tools } = bench;
    await deployment.subscribe(0);
    await deployment.empty();
    const server = await deployment.startServer('all');
    const post = poster(server.url, deployment.secretKey);
    try {
      const steps = await measureSteps(post);
      if (!tools.wrk) return steps;
      const trigger = {
        type: 'reference.created',
        filters: [{ path: 'data.object.application', op: 'eq', value: 'app_of_nobody' }],
      };
      const ids: string[] = [];
      for (let number = 0; number < workflowCount; number++)
        ids.push(await makeWorkflow(post, trigger, [{ id: 'wait', action: 'wait', seconds: 1 }]));
      const move = async (verb: 'activate' | 'pause'): Promise<void> => {
        for (const id of ids) await post(`/v1/workflows/${id}/${verb}`, {});
        // The follower looks for active workflows a few times a second.
        await delay(1_000);
      };
      await load(bench, server.url);
      const beside = await comparePairs(bench, server.url, round, {
        begin: () => move('activate'),
        end: () => move('pause'),
      });
      for (const id of ids) await post(`/v1/workflows/${id}/archive`, {});
      const runs = await makeWaitingRuns(deployment, post);
      const waiting = await comparePairs(bench, server.url, round, runs);
      return { ...steps, beside, waiting };
    } finally {
      await server.stop();
    }
  },
};

type Post = (path: string, body: object) => Promise<{ id: string }>;

function poster(url: string, key: string): Post {
  return async (path, body) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    verify(`${path} answered with ${answer.status}: ${text.slice(0, 200)}`, answer.status === 200);
    return JSON.parse(text) as { id: string };
  };
}

async function makeWorkflow(post: Post, trigger: object, steps: object[]): Promise<string> {
  return (await post('/v1/workflows', { name: 'Bench', trigger, steps, permissions: [] })).id;
}

/** Times the first step of runs: a request to a server here. */
async function measureSteps(post: Post): Promise<Record<'step' | 'stepP99', { value: number }>> {
  // A request can arrive before the response that told of its record.
  const arrivals = new Map<string, PromiseWithResolvers<number>>();
  const arrivalOf = (customer: string): PromiseWithResolvers<number> => {
    const arrival = arrivals.get(customer) ?? Promise.withResolvers<number>();
    arrivals.set(customer, arrival);
    return arrival;
  };
  const receiver = createServer((request, response) => {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const event = JSON.parse(Buffer.concat(chunks).toString()) as { data: { object: { id: string } } };
      arrivalOf(event.data.object.id).resolve(atMs);
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const id = await makeWorkflow(post, { type: 'customer.created' }, [{ id: 'tell', action: 'http', url }]);
  await post(`/v1/workflows/${id}/activate`, {});
  await delay(1_000);
  const durations: number[] = [];
  for (let index = -warmUps; index < samples; index++) {
    const { id: customer } = await post('/v1/customers', { name: 'Ada Lovelace' });
    const answeredAtMs = performance.now();
    const atMs = await Promise.race([arrivalOf(customer).promise, delay(30_000, -1, { ref: false })]);
    verify(`the step for ${customer} did not run within 30 s`, atMs >= 0);
    if (index >= 0) durations.push(atMs - answeredAtMs);
    await delay(pauseMs);
  }
  await post(`/v1/workflows/${id}/pause`, {});
  await post(`/v1/workflows/${id}/archive`, {});
  receiver.closeAllConnections();
  receiver.close();
  return { step: { value: percentile(durations, 0.5) }, stepP99: { value: percentile(durations, 0.99) } };
}

/** Begins and ends the work beside a load. */
interface Beside {
  begin: () => Promise<void>;
  end: () => Promise<void>;
}

/** Compares POST with and without something beside it, in turn. Returns the medians. */
async function comparePairs(bench: Bench, url: string, round: number, { begin, end }: Beside): Promise<Reading> {
  const ratios: Reading[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const perSecond = await inTurn(round + pair, {
      without: () => load(bench, url),
      beside: async () => {
        await begin();
        const result = await load(bench, url);
        await end();
        return result;
      },
    });
    ratios.push(ratio(perSecond.beside, perSecond.without));
  }
  const of = (side: 'value' | 'ours' | 'limit'): number => median(ratios.map((each) => each[side]!));
  return { value: of('value'), ours: of('ours'), limit: of('limit') };
}

/** Makes one run that waits, and says how to copy it and how to remove the copies. */
async function makeWaitingRuns({ database, accountId }: Deployment, post: Post): Promise<Beside> {
  const awaiting = {
    id: 'check',
    action: 'wait_for_event',
    type: 'reference.created',
    filters: [{ path: 'data.object.customer', op: 'eq', value: '{{event.data.object.id}}' }],
    timeout: 86_400,
  };
  const id = await makeWorkflow(post, { type: 'customer.created' }, [awaiting]);
  await post(`/v1/workflows/${id}/activate`, {});
  await delay(1_000);
  await post('/v1/customers', { name: 'Ada Lovelace' });
  const isWaiting = `account_id = $1 and workflow = $2 and awaits is not null`;
  for (let waits = 0; waits === 0; await delay(200)) {
    const text = `select from workflow_runs where ${isWaiting} and (progress::jsonb ->> 'searched')::boolean`;
    waits = (await database.query(text, [accountId, id])).rowCount ?? 0;
  }
  await post(`/v1/workflows/${id}/pause`, {});
  const columns = (await database.query(`select * from workflow_runs where ${isWaiting}`, [accountId, id])).fields
    .map(({ name }) => name)
    .filter((name) => !['id', 'event', 'awaits_record'].includes(name));
  return {
    begin: async () => {
      await database.query(
        `insert into workflow_runs (id, event, awaits_record, ${columns.join()})
         select 'wfr_copy' || number, 'evt_copy' || number, 'cus_' || lpad(number::text, 22, '0'), ${columns.join()}
         from workflow_runs, generate_series(1, $3) number
         where ${isWaiting}`,
        [accountId, id, waitingRuns],
      );
      await database.query('vacuum analyze workflow_runs');
      await delay(1_000);
    },
    end: async () => {
      await database.query(`delete from workflow_runs where account_id = $1 and id like 'wfr\\_copy%'`, [accountId]);
    },
  };
}

async function load({ deployment, tools }: Bench, url: string): Promise<number> {
  const env = { AUTHORIZATION: `Bearer ${deployment.secretKey}`, BODY: requestBody, KEYS: 'none' };
  return (await runLoad(tools.wrk!, 'post', url, { seconds: loadSeconds, env })).requestsPerSecond;
}
