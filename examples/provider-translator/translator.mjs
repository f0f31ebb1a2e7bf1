// Speaks Tenure's protocol for referencing services in front of an imaginary company, whose API is another one.
// Start: TOKEN=… COMPANY_URL=… COMPANY_KEY=… node translator.mjs
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { TOKEN: token, COMPANY_URL: companyUrl, COMPANY_KEY: companyKey } = process.env;
const { PORT: port = '5100', ORDERS_FILE: ordersFile = 'orders.json', POLL_SECONDS: pollSeconds = '10' } = process.env;
if (!token || !companyUrl || !companyKey) {
  process.stderr.write('TOKEN, COMPANY_URL or COMPANY_KEY is missing.\n');
  process.exit(1);
}

// The company's words, and those of the protocol. An unknown word is an error, never a guess.
const stages = {
  new: 'NOT_STARTED',
  invited: 'INVITE_SENT',
  checking: 'IN_PROGRESS',
  closed: 'DONE',
  withdrawn: 'CANCELLED',
};
const decisions = { green: 'ACCEPT', amber: 'CONSIDER', red: 'HIGH_RISK' };
const results = { yes: 'PASS', unclear: 'REFER', no: 'FAIL' };

/** Becomes an error body of the protocol. */
class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

/** The orders by their keys: the company's case, and where to announce news. In a file for the sketch: keep them in your database. */
const stored = existsSync(ordersFile) ? JSON.parse(readFileSync(ordersFile, 'utf8')) : {};
const orders = Object.assign(Object.create(null), stored);

function save() {
  writeFileSync(`${ordersFile}.new`, JSON.stringify(orders), { mode: 0o600 });
  renameSync(`${ordersFile}.new`, ordersFile);
}

/** Calls the company. Its failures become a 500, after which Tenure asks again. */
async function company(method, path, body) {
  const response = await fetch(companyUrl + path, {
    method,
    headers: { 'x-company-key': companyKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const told = await response.json();
  if (response.status === 400) throw new Refusal(422, 'INVALID_DETAILS', told.problem);
  if (!response.ok) throw new Error(`The company answered ${method} ${path} with ${response.status}.`);
  return told;
}

function translated(words, word) {
  if (!Object.hasOwn(words, word)) throw new Error(`The company has a new word: ${word}.`);
  return words[word];
}

const timelineOf = ({ history }) =>
  history.map(({ time, what }) => ({ at: new Date(time * 1000).toISOString(), text: what }));

function stateOf(found) {
  const isDone = found.status === 'closed';
  return {
    requestId: String(found.number),
    clientReferenceId: found.your_reference,
    stage: translated(stages, found.status),
    decision: isDone ? translated(decisions, found.light) : null,
    progressPercent: isDone ? 100 : null,
    affordability: isDone
      ? { rentToIncomePercent: found.rent_share * 100, result: translated(results, found.affordable) }
      : null,
    creditScore: isDone ? found.score : null,
    sanctionsClear: isDone ? found.sanctions === 'no' : null,
    timeline: timelineOf(found),
    blocker: found.mail_came_back ? { code: 'INVITE_BOUNCED', text: 'The invitation could not be delivered.' } : null,
  };
}

function reportOf(found) {
  if (found.status !== 'closed') throw new Refusal(409, 'REPORT_NOT_READY', 'The check is not done.');
  return {
    decision: translated(decisions, found.light),
    decisionReasons: found.because,
    affordability: {
      result: translated(results, found.affordable),
      rentToIncomePercent: found.rent_share * 100,
      rent: null,
      verifiedAnnualIncome: null,
      sources: [],
    },
    credit: { score: found.score, scoreMax: 1000, entries: [] },
    sanctions: { clear: found.sanctions === 'no', entries: [] },
    checks: found.answers.map(({ of, good }) => ({ title: of, result: translated(results, good), comment: null })),
    referees: [],
    timeline: timelineOf(found),
    complaints: { company: 'Imaginary Checks Ltd', contact: 'complaints@imaginary.example' },
  };
}

/** Orders under way. The company makes a case for each call, so one key must not be sent twice. One process alone runs this. */
const underWay = new Map();

async function order(body) {
  const { clientReferenceId: key, applicant, rentShare, callback } = body ?? {};
  if (
    typeof key !== 'string' ||
    key === '' ||
    typeof callback?.url !== 'string' ||
    typeof callback.signingSecret !== 'string'
  )
    throw new Refusal(400, 'INVALID_REQUEST', 'An order has a clientReferenceId and a callback.');
  const place = async () => {
    const before = (await company('GET', `/cases?your_reference=${encodeURIComponent(key)}`)).cases[0];
    const person = applicant && { name: applicant.fullName, mail: applicant.email, born: applicant.dateOfBirth };
    const wish = {
      your_reference: key,
      person,
      monthly_rent_pence: rentShare?.amountMinor ?? null,
      sandbox: body.testScenario,
    };
    const found = before ?? (await company('POST', '/cases', wish));
    orders[key] ??= { number: found.number, url: callback.url, secret: callback.signingSecret, madeAt: Date.now() };
    save();
    return [before ? 200 : 201, stateOf(found)];
  };
  const running = underWay.get(key) ?? place().finally(() => underWay.delete(key));
  underWay.set(key, running);
  return running;
}

async function find(key) {
  return [200, { requests: orders[key] ? [stateOf(await company('GET', `/cases/${orders[key].number}`))] : [] }];
}

async function about(requestId, action, method, body) {
  if (!Object.values(orders).some(({ number }) => String(number) === requestId))
    throw new Refusal(404, 'NOT_FOUND', 'There is no such order.');
  const found = await company('GET', `/cases/${requestId}`);
  if (method === 'GET') return [200, action === 'report' ? reportOf(found) : stateOf(found)];
  if (['closed', 'withdrawn'].includes(found.status)) throw new Refusal(409, 'REQUEST_CLOSED', 'The order has ended.');
  if (action === 'cancel') return [200, stateOf(await company('POST', `/cases/${requestId}/withdraw`))];
  return [200, stateOf(await company('POST', `/cases/${requestId}/mail`, { mail: body?.email }))];
}

/** Announces what is new since the last time that Tenure took a callback. The company sends none itself, so it is asked. */
async function announce(key, one) {
  const { stage, decision, timeline, blocker } = stateOf(await company('GET', `/cases/${one.number}`));
  const news = `${stage} ${decision} ${timeline.length} ${blocker?.code}`;
  if (news === one.told) return;
  const body = JSON.stringify({ type: 'reference_request.updated', clientReferenceId: key });
  const time = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', one.secret).update(`${time}.${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-callback-timestamp': time,
    'x-callback-signature': signature,
  };
  const { ok } = await fetch(one.url, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
  });
  if (!ok) return;
  one.told = news;
  save();
}

const monthMs = 30 * 24 * 3600 * 1000;

async function announceAll() {
  // The company can change its mind for a month. A callback that fails is sent again in the next round.
  const recent = Object.entries(orders).filter(([, { madeAt }]) => Date.now() - madeAt < monthMs);
  await Promise.allSettled(recent.map(([key, one]) => announce(key, one)));
  setTimeout(() => void announceAll(), Number(pollSeconds) * 1000);
}

const digest = (text) => createHash('sha256').update(text).digest();

async function answer(request) {
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`)))
    throw new Refusal(401, 'UNAUTHORIZED', 'The token is not known.');
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { pathname, searchParams } = new URL(request.url, 'http://translator');
  const [, requestId, action = ''] = /^\/v1\/reference-requests(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(pathname) ?? [];
  const route = `${request.method} ${requestId === undefined ? pathname : action}`;
  let body = null;
  try {
    body = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refusal(400, 'INVALID_REQUEST', 'The body is no JSON.');
  }
  if (route === 'POST /v1/reference-requests') return order(body);
  if (route === 'GET /v1/reference-requests') return find(searchParams.get('clientReferenceId') ?? '');
  if (['GET ', 'GET report', 'POST cancel', 'PUT applicant-email'].includes(route))
    return about(decodeURIComponent(requestId), action, request.method, body);
  throw new Refusal(404, 'NOT_FOUND', 'There is no such page.');
}

createServer((request, response) => {
  const send = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  answer(request).then(
    ([status, body]) => send(status, body),
    (error) => {
      const {
        status = 500,
        code = 'UNAVAILABLE',
        message,
      } = error instanceof Refusal ? error : { message: 'Try again later.' };
      if (status === 500) process.stderr.write(`${error.message}\n`);
      send(status, { error: { code, message } });
    },
  );
}).listen(Number(port), '127.0.0.1', () =>
  process.stdout.write(`The translator listens at http://127.0.0.1:${port}\n`),
);
void announceAll();
