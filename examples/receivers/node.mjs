// Prints one line for each event that Tenure delivers. Start: SIGNING_SECRET=whsec_… node node.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

/** Throws unless `body`, the Buffer as it arrived, was signed with the secret, no more than five minutes from now. */
function verify(header, body, secret) {
  const { t, v1 } = Object.fromEntries(header.split(',').map((part) => part.split('=')));
  if (!/^[0-9]{1,12}$/.test(t) || !v1) throw new Error('missing or malformed Service-Signature');
  if (Math.abs(Date.now() / 1000 - Number(t)) > 300) throw new Error('timestamp more than 5 minutes away');
  const expected = Buffer.from(createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'));
  const given = Buffer.from(v1);
  // timingSafeEqual throws when the lengths differ.
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('wrong signature');
}

/** Keeps no more than 1 MB, and throws if there was more. */
async function readBody(request) {
  const chunks = [];
  let sizeBytes = 0;
  for await (const chunk of request) if ((sizeBytes += chunk.length) <= 1_000_000) chunks.push(chunk);
  if (sizeBytes > 1_000_000) throw new Error('body over 1 MB');
  return Buffer.concat(chunks);
}

const { SIGNING_SECRET: secret, PORT: port = '5000' } = process.env;
if (!secret) {
  process.stderr.write('SIGNING_SECRET is missing: set it to the whsec_… of your webhook endpoint.\n');
  process.exit(1);
}

// Events can arrive more than once. In memory for the sketch: keep the ids in your database, together with what you did.
const seen = new Set();

async function receive(request, response) {
  if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end();
  try {
    const body = await readBody(request);
    verify(request.headers['service-signature'] ?? '', body, secret);
    const { id, type, data } = JSON.parse(body.toString());
    process.stdout.write(seen.has(id) ? `duplicate ${id}\n` : `verified ${id} ${type} ${data.object.id}\n`);
    seen.add(id);
    response.writeHead(204).end();
  } catch (error) {
    process.stdout.write(`refused: ${error.message}\n`);
    response.writeHead(400).end();
  }
}

createServer((request, response) => void receive(request, response)).listen(Number(port), '127.0.0.1');
