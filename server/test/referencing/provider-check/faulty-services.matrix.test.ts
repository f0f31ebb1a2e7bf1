import { describe, expect, test } from 'vitest';
import { rules, type Judgement } from '../../../src/referencing/provider-check/index.ts';
import { runProgram } from '../../support/backups.ts';
import { serviceInRealTime } from '../../support/services.ts';
import { meddlerForTest, type Meddling, type Returned, type Sent } from '../providers/meddler.ts';
import { judged } from './kit.ts';

/* The kit that checks referencing services, against services with faults. Each is the simulated service behind a proxy that meddles. */

const path = '/v1/reference-requests';

/** Returns the names of the rules that are not kept, each with its result. */
function broken(judgements: Judgement[]): Record<string, string> {
  const others = judgements.filter(({ result }) => result !== 'pass');
  return Object.fromEntries(others.map(({ rule, result }) => [rule.name, result]));
}

/** The answer without a change of the service behind it. */
const json = (status: number, body: object): Returned => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const refusal = (status: number): Returned => json(status, { error: { code: 'REFUSED', message: 'It was refused.' } });

const isOrder = ({ method, path: at }: Sent): boolean => method === 'POST' && at === path;

/** Changes the body of orders before the service gets them. */
function withOrders(change: (body: Record<string, unknown>, sent: Sent) => object | string): Meddling {
  return (sent, forward) => {
    if (!isOrder(sent)) return forward(sent);
    const body = parsed(sent.body);
    if (body === null) return forward(sent);
    const changed = change(body, sent);
    return forward({ ...sent, body: typeof changed === 'string' ? changed : JSON.stringify(changed) });
  };
}

/** Changes the states of orders that the service answers. */
function withStates(change: (state: Record<string, unknown>) => void): Meddling {
  return async (sent, forward) => {
    const returned = await forward(sent);
    const body = parsed(returned.body);
    if (!body || returned.status >= 300 || sent.path.endsWith('/report')) return returned;
    for (const state of (body['requests'] as Record<string, unknown>[] | undefined) ?? [body]) change(state);
    return { ...returned, body: JSON.stringify(body) };
  };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Makes an order of its own from each repeat. */
function makingCopies(): Meddling {
  const copies = new Map<unknown, number>();
  return withOrders((body) => {
    const key = body['clientReferenceId'];
    const copy = copies.get(key) ?? 0;
    copies.set(key, copy + 1);
    return copy === 0 ? body : { ...body, clientReferenceId: `${String(key)}_${copy}` };
  });
}

/** Receives the callbacks of a service in the place of its customer, and sends each on once. */
function takingCallbacks(): Meddling {
  let customer = '';
  return async (sent, forward) => {
    if (sent.path !== '/callbacks') {
      return withOrders((body, { headers }) => {
        const callback = body['callback'] as { url: string };
        customer = callback.url;
        return { ...body, callback: { ...callback, url: `http://${headers.host}/callbacks` } };
      })(sent, forward);
    }
    const headers = Object.fromEntries(Object.entries(sent.headers).filter(([name]) => name.startsWith('x-')));
    await fetch(customer, { method: 'POST', headers: headers as Record<string, string>, body: sent.body });
    return json(200, {});
  };
}

/** Services with one fault each, and the rules that it breaks. `skip`: the rule cannot be judged. */
const faults: { what: string; meddle: Meddling; breaks: Record<string, 'fail' | 'skip'>; answerMs?: number }[] = [
  {
    what: 'makes a new order whenever one arrives',
    meddle: makingCopies(),
    breaks: {
      'order.corrected': 'fail',
      'order.once': 'fail',
      'order.again': 'fail',
      'order.lost-answer': 'fail',
      'check.kept': 'fail',
    },
  },
  {
    what: 'takes any token',
    meddle: (sent, forward) => forward({ ...sent, headers: { ...sent.headers, authorization: 'Bearer any' } }),
    breaks: { token: 'fail' },
  },
  {
    what: 'answers an error without a code',
    meddle: async (sent, forward) => {
      const returned = await forward(sent);
      return returned.status === 404 ? { ...returned, body: '{"error":"not found"}' } : returned;
    },
    breaks: { 'unknown-id': 'fail' },
  },
  {
    what: 'refuses unknown members',
    meddle: (sent, forward) => (sent.body.includes('aLaterMember') ? Promise.resolve(refusal(400)) : forward(sent)),
    breaks: { 'order.more-members': 'fail' },
  },
  {
    what: 'fails at an order that it cannot read',
    meddle: async (sent, forward) => {
      const returned = await forward(sent);
      return isOrder(sent) && returned.status === 400 ? refusal(500) : returned;
    },
    breaks: { 'order.unreadable': 'fail' },
  },
  {
    what: 'keeps a refused order',
    meddle: (() => {
      const refused = new Set<unknown>();
      return async (sent, forward) => {
        const key = parsed(sent.body)?.['clientReferenceId'];
        if (isOrder(sent) && refused.has(key)) return refusal(422);
        const returned = await forward(sent);
        if (returned.status === 422) refused.add(key);
        return returned;
      };
    })(),
    breaks: { 'order.corrected': 'fail' },
  },
  {
    what: 'ignores cancellations',
    meddle: (sent, forward) =>
      sent.path.endsWith('/cancel') && sent.headers.authorization?.includes('the-token')
        ? forward({ ...sent, method: 'GET', path: sent.path.replace('/cancel', ''), body: '' })
        : forward(sent),
    breaks: { cancel: 'fail' },
  },
  {
    what: 'tells its decision early',
    meddle: withStates((state) => {
      state['decision'] ??= 'ACCEPT';
    }),
    breaks: { 'check.no-early-decision': 'fail' },
  },
  {
    what: 'has a word for its stage that is not in the protocol',
    meddle: withStates((state) => {
      if (state['stage'] === 'DONE') state['stage'] = 'COMPLETED';
    }),
    breaks: {
      'check.accept': 'fail',
      'check.high-risk': 'fail',
      'check.no-early-decision': 'skip',
      'check.kept': 'skip',
      report: 'skip',
      'callback.sent': 'skip',
    },
  },
  {
    what: 'has another decision in its report',
    meddle: async (sent, forward) => {
      const returned = await forward(sent);
      return sent.path.endsWith('/report') && returned.status === 200
        ? { ...returned, body: returned.body.replace('"HIGH_RISK"', '"CONSIDER"') }
        : returned;
    },
    breaks: { report: 'fail' },
  },
  {
    what: 'has no report when the check is done',
    meddle: (sent, forward) =>
      sent.path.endsWith('/report') && sent.headers.authorization?.includes('the-token')
        ? forward(sent).then((returned) => (returned.status === 200 ? refusal(409) : returned))
        : forward(sent),
    breaks: { report: 'fail' },
  },
  {
    what: 'signs callbacks with another secret',
    meddle: withOrders((body) => ({ ...body, callback: { ...(body['callback'] as object), signingSecret: 'other' } })),
    breaks: { 'callback.signed': 'fail' },
  },
  {
    what: 'sends no callbacks',
    meddle: withOrders((body) => ({
      ...body,
      callback: { ...(body['callback'] as object), url: 'http://127.0.0.1:9/' },
    })),
    breaks: {
      'callback.sent': 'fail',
      'callback.repeated': 'skip',
      'callback.slow': 'skip',
      'callback.signed': 'skip',
    },
  },
  { what: 'sends each callback once', meddle: takingCallbacks(), breaks: { 'callback.repeated': 'fail' } },
  {
    what: 'never answers with its report',
    meddle: async (sent, forward) => {
      const returned = await forward(sent);
      return sent.path.endsWith('/report') && returned.status === 200 ? null : returned;
    },
    breaks: { report: 'fail', 'answer.in-time': 'fail' },
    answerMs: 5_000,
  },
  {
    what: 'shows the signing secret',
    meddle: withStates((state) => {
      state['signingSecret'] = 'the-signing-secret';
    }),
    breaks: { 'answer.no-secrets': 'fail' },
  },
  {
    what: 'answers with text that is no JSON',
    meddle: async (sent, forward) => ({ ...(await forward(sent)), body: '<html>' }),
    breaks: {
      'order.accepted': 'fail',
      ...Object.fromEntries(rules.slice(1).map(({ name }) => [name, 'skip' as const])),
    },
  },
];

test.each(faults)('fails exactly the broken rules when a service $what', async ({ meddle, breaks, answerMs }) => {
  const { url } = await meddlerForTest(await serviceInRealTime('provider_a'), meddle);
  // Nothing comes of what a faulty service leaves out, so it is not waited for long.
  const isSilent = Object.keys(breaks).some((name) => name.startsWith('callback.'));
  const changes = { ...(answerMs !== undefined && { answerMs }), ...(isSilent && { waitMs: 15_000 }) };
  expect(broken(await judged(url, changes))).toEqual(breaks);
});

describe('npm run provider-check', () => {
  test.each([
    ['no address', []],
    ['two addresses', ['http://127.0.0.1:9', 'http://127.0.0.1:9']],
    ['an address that is not of HTTP', ['ftp://127.0.0.1']],
    ['no number of seconds', ['http://127.0.0.1:9', '--wait', 'long']],
    ['no host', ['http://127.0.0.1:9', '--listen', '4000']],
  ])('prints its help and ends with 2 when it gets %s', async (_, given) => {
    const { code, output } = await runProgram('provider-check', given);
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/^npm run provider-check -- <url>/) });
  });
});
