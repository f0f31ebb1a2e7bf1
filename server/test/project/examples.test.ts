import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { waitMs } from '../support/wait.ts';

/*
 * The example receivers, each as the process that its README starts. A language missing on this machine is skipped, with the reason in the
 * suite's name.
 */

const receiversDir = join(import.meta.dirname, '../../../examples/receivers');
const vector = JSON.parse(readFileSync(join(receiversDir, 'signature-vector.json'), 'utf8')) as {
  secret: string;
  timestamp: number;
  body: string;
  body_bytes: number;
  header: string;
  invalid: { reason: string; header: string; body: string }[];
};
const secret = 'whsec_of the examples: ząb';
const buildTimeoutMs = 240_000;
const soon = { timeout: waitMs, interval: 10 };

test('verifies signatures like the receiver in Node when the guide to webhooks shows code', () => {
  const guide = readFileSync(join(receiversDir, '../../docs/guides/webhooks.md'), 'utf8');
  const receiver = readFileSync(join(receiversDir, 'node.mjs'), 'utf8');
  const [, code] = /```js\n([\s\S]*?)```/.exec(guide)!;
  for (const part of code!.split('\n\n')) expect(receiver).toContain(part.trim());
});

type Delivery = { header: string | undefined; body: string };

type Language = {
  name: string;
  program: string;
  versionArgument: string;
  atLeast: readonly [major: number, minor: number];
  /** Builds the program if that takes long, and returns the command to start it. `folder` is the test's own. */
  command(folder: string, port: number): string[];
  /** False for PHP: its server runs the script for each request, so it cannot stop at the start. */
  endsWithoutSecret: boolean;
};

const languages: Language[] = [
  {
    name: 'Node',
    program: process.execPath,
    versionArgument: '--version',
    atLeast: [20, 0],
    command: () => [process.execPath, join(receiversDir, 'node.mjs')],
    endsWithoutSecret: true,
  },
  {
    name: 'Python',
    program: 'python3',
    versionArgument: '--version',
    atLeast: [3, 8],
    command: () => ['python3', join(receiversDir, 'python.py')],
    endsWithoutSecret: true,
  },
  {
    name: 'Go',
    program: 'go',
    versionArgument: 'version',
    atLeast: [1, 22],
    command: buildGo,
    endsWithoutSecret: true,
  },
  {
    name: 'PHP',
    program: 'php',
    versionArgument: '--version',
    atLeast: [8, 0],
    command: (_, port) => ['php', '-d', 'display_errors=0', '-S', `127.0.0.1:${port}`, join(receiversDir, 'php.php')],
    endsWithoutSecret: false,
  },
];

/** Deliveries that a receiver must not accept, each made from a valid one. */
const refused: { what: string; spoil(body: string): Delivery }[] = [
  { what: 'a changed body', spoil: (body) => ({ header: sign(body), body: body.replace('"pending"', '"complete"') }) },
  {
    what: 'a body that was parsed and serialised again',
    spoil: (body) => ({ header: sign(body), body: JSON.stringify(JSON.parse(body), null, 1) }),
  },
  { what: 'another secret', spoil: (body) => ({ header: sign(body, { key: 'whsec_another' }), body }) },
  {
    what: 'the secret without its prefix',
    spoil: (body) => ({ header: sign(body, { key: secret.replace('whsec_', '') }), body }),
  },
  { what: 'an empty secret', spoil: (body) => ({ header: sign(body, { key: '' }), body }) },
  { what: 'a signature of six minutes ago', spoil: (body) => ({ header: sign(body, { ageSeconds: 360 }), body }) },
  { what: 'a signature of six minutes ahead', spoil: (body) => ({ header: sign(body, { ageSeconds: -360 }), body }) },
  {
    what: 'a newer timestamp than the one signed',
    spoil: (body) => ({ header: sign(body).replace(/t=\d+/, `t=${nowSeconds() + 1}`), body }),
  },
  { what: 'no header', spoil: (body) => ({ header: undefined, body }) },
  { what: 'a truncated signature', spoil: (body) => ({ header: sign(body).slice(0, -2), body }) },
  { what: 'a signature with further characters', spoil: (body) => ({ header: `${sign(body)}00`, body }) },
  {
    what: 'a signature in upper-case hex',
    spoil: (body) => ({ header: sign(body).replace(/[0-9a-f]+$/, (hex) => hex.toUpperCase()), body }),
  },
  {
    what: 'the signature under another scheme',
    spoil: (body) => ({ header: sign(body).replace('v1=', `v1=${'0'.repeat(64)},v2=`), body }),
  },
  { what: 'spaces in the header', spoil: (body) => ({ header: sign(body).replace(',', ', '), body }) },
  // Letters that are not hex digits and not ASCII, as long as a signature.
  {
    what: 'a signature of other letters',
    spoil: (body) => ({ header: `t=${nowSeconds()},v1=${'é'.repeat(64)}`, body }),
  },
];

/** NOW stands for a valid timestamp. */
const malformedHeaders = [
  ['', ',', '=', '=,=', 't', 't=,v1=', 'v1=,t=', 'garbage', '__proto__=1,t[]=1,v1[]=1', 'constructor,toString=1'],
  ['NOW', 't=NOW', 't=NOW,v1', 't=NOW,v1=', 't=NOW,v1=%00', `v1=${'0'.repeat(64)}`, `T=NOW,V1=${'0'.repeat(64)}`],
  ['NaN', '-1', '0x7fffffff', 'NOW.5', '1e9', '9'.repeat(400)].map((time) => `t=${time},v1=${'0'.repeat(64)}`),
].flat();

for (const language of languages) {
  const absence = whyAbsent(language);
  describe.skipIf(absence)(`the ${language.name} receiver${absence ? `, not tested here: ${absence}` : ''}`, () => {
    let folder = '';
    const lines: string[] = [];
    let receiver: ChildProcess | undefined;
    let url = '';
    let started: string[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'tenure-examples-'));
      const port = await freePort();
      url = `http://127.0.0.1:${port}/`;
      started = language.command(folder, port);
      receiver = start(started, { SIGNING_SECRET: secret, PORT: String(port), TMPDIR: folder }, lines);
      await vi.waitFor(() => fetch(url), soon);
    }, buildTimeoutMs);
    afterAll(async () => {
      if (receiver) await stop(receiver);
      rmSync(folder, { recursive: true, force: true });
    });

    test('returns 2xx and prints the event when a delivery is valid', async () => {
      const { id, body } = newEvent();
      expect(await deliver({ header: sign(body), body })).toEqual({
        status: 204,
        printed: [`verified ${id} reference.created ref_of_${id}`],
      });
    });

    test('verifies the bytes as received when they have non-ASCII text, escapes or Unicode line separators', async () => {
      const event = JSON.parse(vector.body) as { id: string; data: { object: { id: string } } };
      expect(await deliver({ header: sign(vector.body), body: vector.body })).toEqual({
        status: 204,
        printed: [`verified ${event.id} reference.created ${event.data.object.id}`],
      });
    });

    test('accepts a signature when it is nearly five minutes old or ahead', async () => {
      for (const ageSeconds of [280, -280]) {
        const { id, body } = newEvent();
        const { status, printed } = await deliver({ header: sign(body, { ageSeconds }), body });
        expect(status).toBe(204);
        expect(printed).toEqual([`verified ${id} reference.created ref_of_${id}`]);
      }
    });

    test('skips unknown schemes when they appear anywhere in the header', async () => {
      const { id, body } = newEvent();
      const header = `v0=abc,${sign(body).replace(',', ',v2=def,')},v3,v10=${'0'.repeat(64)}`;
      expect(await deliver({ header, body })).toEqual({
        status: 204,
        printed: [`verified ${id} reference.created ref_of_${id}`],
      });
    });

    test('returns 2xx without printing the event as new when it arrives again', async () => {
      const { id, body } = newEvent();
      await deliver({ header: sign(body), body });
      for (const ageSeconds of [0, 7]) {
        const { status, printed } = await deliver({ header: sign(body, { ageSeconds }), body });
        expect(status).toBe(204);
        expect(printed).toEqual([`duplicate ${id}`]);
      }
    });

    test.each(refused)('returns 400 and does not record the event when the delivery has $what', async ({ spoil }) => {
      const { id, body } = newEvent();
      expect(await deliver(spoil(body))).toEqual({ status: 400, printed: [expect.stringMatching(/^refused: \S/)] });
      const { printed } = await deliver({ header: sign(body), body });
      expect(printed).toEqual([`verified ${id} reference.created ref_of_${id}`]);
    });

    test('returns 400 when the header is malformed', async () => {
      for (const malformed of malformedHeaders) {
        const header = malformed.replace('NOW', String(nowSeconds()));
        const { status, printed } = await deliver({ header, body: newEvent().body });
        expect(status, header).toBe(400);
        expect(printed).toEqual([expect.stringMatching(/^refused: \S/)]);
      }
    });

    test('refuses the published vector when its timestamp is too old', async () => {
      const time = String(vector.timestamp);
      const own = { header: `t=${time},v1=${hmac(secret, time, vector.body)}`, body: vector.body };
      for (const delivery of [vector, own, ...vector.invalid]) {
        const { status, printed } = await deliver(delivery);
        expect(status).toBe(400);
        expect(printed).toEqual([expect.stringMatching(/^refused: \S/)]);
      }
    });

    test('returns 400 and keeps running when a signed body is not JSON', async () => {
      const notJson = '{"id":"evt_1",';
      expect(await deliver({ header: sign(notJson), body: notJson })).toMatchObject({ status: 400 });
      expect(receiver!.exitCode).toBeNull();
    });

    test('refuses a body of more than 1 MB and keeps running when one is sent', async () => {
      for (const size of [1_000_001, 9_000_000]) {
        const tooLong = newEvent().body.padEnd(size);
        const before = lines.length;
        // A server may cut off a client before its response if it does not read the whole body.
        const status = await post({ header: sign(tooLong), body: tooLong }).catch(() => 'cut off');
        expect(status).toSatisfy((it) => it === 400 || it === 'cut off');
        await vi.waitFor(() => expect(lines.slice(before)).toEqual([expect.stringMatching(/^refused: \S/)]), soon);
      }
      const { id, body } = newEvent();
      const longest = body.padEnd(1_000_000);
      const { printed } = await deliver({ header: sign(longest), body: longest });
      expect(printed).toEqual([`verified ${id} reference.created ref_of_${id}`]);
    });

    test('refuses every method but POST when one is sent', async () => {
      const before = lines.length;
      const { body } = newEvent();
      const response = await fetch(url, { headers: { 'service-signature': sign(body) } });
      expect(response.status).toBe(405);
      expect(lines.slice(before)).toEqual([]);
    });

    test('prints one line about its secret when the secret is missing', async () => {
      const { command, endsWithoutSecret } = language;
      const port = await freePort();
      const said: string[] = [];
      const settings = { SIGNING_SECRET: '', PORT: String(port), TMPDIR: folder };
      const child = start(endsWithoutSecret ? started : command(folder, port), settings, said, {
        withErrors: endsWithoutSecret,
      });
      try {
        if (endsWithoutSecret) {
          await vi.waitFor(() => expect(child.exitCode).toBe(1), soon);
        } else {
          const { body } = newEvent();
          const delivery = { header: sign(body, { key: '' }), body };
          const status = await vi.waitFor(() => post(delivery, `http://127.0.0.1:${port}/`), soon);
          expect(status).toBe(500);
        }
        await vi.waitFor(
          () => expect(said).toEqual([expect.stringMatching(/^SIGNING_SECRET is missing: set it to /)]),
          soon,
        );
      } finally {
        await stop(child);
      }
    });

    /** Sends a delivery and waits for the line about it. Each delivery has one line. */
    async function deliver(delivery: Delivery): Promise<{ status: number; printed: string[] }> {
      const before = lines.length;
      const status = await post(delivery);
      await vi.waitFor(() => expect(lines.length).toBeGreaterThan(before), soon);
      return { status, printed: lines.slice(before) };
    }

    async function post({ header, body }: Delivery, to = url): Promise<number> {
      const response = await fetch(to, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'service-attempt': '1',
          ...(header !== undefined && { 'service-signature': header }),
        },
        body: Buffer.from(body),
      });
      await response.arrayBuffer();
      return response.status;
    }
  });
}

describe('the published signature vector', () => {
  test('equals the result of node:crypto when bodies have bytes that a careless parser changes', () => {
    expect(refusal(vector, vector.secret, vector.timestamp)).toBeUndefined();
    expect(vector.header).toMatch(new RegExp(`^t=${vector.timestamp},v1=[0-9a-f]{64}$`));
    expect(Buffer.byteLength(vector.body)).toBe(vector.body_bytes);
    expect(vector.body_bytes).toBeGreaterThan(vector.body.length);
    for (const trap of ['Łukasz', '\\"', '\u2028']) expect(vector.body).toContain(trap);
    expect(vector.body).toMatch(/\p{Extended_Pictographic}/u);
    expect(JSON.parse(vector.body)).toMatchObject({ object: 'event', type: 'reference.created' });
  });

  test.each(vector.invalid)('refuses an invalid case of the vector when it is verified: $reason', (delivery) => {
    expect(refusal(delivery, vector.secret, vector.timestamp)).toBeDefined();
  });

  test('covers wrong times alone, and each way to be refused, when its cases are listed', () => {
    const { secret: key, timestamp } = vector;
    const aheadOrBehind = [timestamp - 360, timestamp + 360];
    const onlyLate = vector.invalid.filter((it) => aheadOrBehind.some((time) => refusal(it, key, time) === undefined));
    expect(onlyLate.map(({ header }) => Number(/t=(\d+)/.exec(header)![1]))).toEqual(aheadOrBehind);
    const ways = new Set(vector.invalid.map((it) => refusal(it, key, timestamp)));
    expect(ways).toEqual(new Set(['malformed', 'time', 'signature']));
    expect(new Set(vector.invalid.map(({ reason }) => reason)).size).toBe(vector.invalid.length);
  });
});

/** Implements the verification rules again, independently of the receivers and of the server. */
function refusal(
  { header, body }: Delivery,
  key: string,
  atSeconds: number,
): 'malformed' | 'time' | 'signature' | undefined {
  const time = /(?:^|,)t=(\d+)(?:,|$)/.exec(header ?? '')?.[1];
  const signature = /(?:^|,)v1=([^,]+)(?:,|$)/.exec(header ?? '')?.[1];
  if (time === undefined || signature === undefined) return 'malformed';
  if (Math.abs(atSeconds - Number(time)) > 300) return 'time';
  const expected = Buffer.from(hmac(key, time, body));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected) ? undefined : 'signature';
}

function sign(body: string, { key = secret, ageSeconds = 0 } = {}): string {
  const time = String(nowSeconds() - ageSeconds);
  return `t=${time},v1=${hmac(key, time, body)}`;
}

function hmac(key: string, time: string, body: string): string {
  return createHmac('sha256', Buffer.from(key)).update(`${time}.`).update(Buffer.from(body)).digest('hex');
}

let events = 0;

function newEvent(): { id: string; body: string } {
  const id = `evt_${process.pid}x${++events}`;
  const object = { id: `ref_of_${id}`, object: 'reference', status: 'pending' };
  const data = { object, previous_attributes: null };
  return { id, body: JSON.stringify({ id, object: 'event', created: nowSeconds(), type: 'reference.created', data }) };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Returns why a language cannot be tested here, or undefined if it can. */
function whyAbsent({ program, versionArgument, atLeast }: Language): string | undefined {
  const { status, stdout } = spawnSync(program, [versionArgument], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (status !== 0) return `there is no ${program}`;
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  const isEnough = Number(major) > atLeast[0] || (Number(major) === atLeast[0] && Number(minor) >= atLeast[1]);
  return isEnough ? undefined : `${program} is ${major}.${minor}, older than ${atLeast.join('.')}`;
}

/** Builds first and then runs, because `go run` leaves its program behind when it is stopped. */
function buildGo(folder: string): string[] {
  const program = join(folder, 'receiver');
  execFileSync('go', ['build', '-o', program, join(receiversDir, 'go.go')], {
    // Use only what is on the machine: download no toolchain and no module.
    env: {
      ...process.env,
      GOFLAGS: '-mod=mod',
      GOTOOLCHAIN: 'local',
      ...(!isWritable(homedir()) && { GOCACHE: join(folder, 'go-cache') }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: buildTimeoutMs,
  });
  return [program];
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a program and adds the lines that it prints to `lines` as they come. */
function start(
  [program, ...args]: string[],
  settings: NodeJS.ProcessEnv,
  lines: string[],
  { withErrors = false } = {},
): ChildProcess {
  const child = spawn(program!, args, { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const complete = (rest + text).split('\n');
      rest = complete.pop()!;
      if (stream === child.stdout || withErrors) lines.push(...complete);
    });
  }
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
