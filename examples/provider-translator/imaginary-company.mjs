// An imaginary referencing company, so that the translator can be tried. Each call to POST /cases makes a case.
// Start: COMPANY_KEY=… node imaginary-company.mjs
import { createServer } from 'node:http';

const { COMPANY_KEY: key, PORT: port = '5200', CASE_SECONDS: caseSeconds = '5' } = process.env;
const cases = new Map();
const findings = {
  green: { because: ['Nothing was found.'], rent_share: 0.28, affordable: 'yes', score: 640 },
  red: { because: ['The rent is more than the income can carry.'], rent_share: 0.62, affordable: 'no', score: 120 },
};

function shown({ number, wish, madeAtMs, withdrawn }) {
  const light = wish.sandbox === 'high_risk' ? 'red' : 'green';
  const share = wish.sandbox === 'stuck' ? 0 : (Date.now() - madeAtMs) / (1000 * Number(caseSeconds));
  const status = withdrawn ? 'withdrawn' : share >= 1 ? 'closed' : share >= 0.5 ? 'checking' : 'invited';
  const time = Math.floor(madeAtMs / 1000);
  const found = {
    light,
    ...findings[light],
    sanctions: 'no',
    answers: [
      { of: 'Identity', good: 'yes' },
      { of: 'Employer', good: 'yes' },
    ],
  };
  return {
    number,
    your_reference: wish.your_reference,
    status,
    mail_came_back: false,
    history: [{ time, what: 'The person was invited.' }],
    ...(status === 'closed' && found),
  };
}

function answer({ method, url, headers }, body) {
  if (headers['x-company-key'] !== key) return [403, { problem: 'The key is wrong.' }];
  const { pathname, searchParams } = new URL(url, 'http://company');
  const [, , number, action] = pathname.split('/');
  if (number === undefined && method === 'GET') {
    const wanted = searchParams.get('your_reference');
    return [200, { cases: [...cases.values()].filter(({ wish }) => wish.your_reference === wanted).map(shown) }];
  }
  if (number === undefined) {
    if (body.sandbox === 'invalid_details') return [400, { problem: 'The date of birth is missing.' }];
    const made = { number: cases.size + 1, wish: body, madeAtMs: Date.now(), withdrawn: false };
    cases.set(String(made.number), made);
    return [200, shown(made)];
  }
  const one = cases.get(number);
  if (!one) return [404, { problem: 'There is no such case.' }];
  if (action === 'withdraw') one.withdrawn = true;
  return [200, shown(one)];
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const [status, body] = answer(request, chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}).listen(Number(port), '127.0.0.1', () => process.stdout.write(`The company listens at http://127.0.0.1:${port}\n`));
