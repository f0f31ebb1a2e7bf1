import { execFileSync, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileChecker } from '../../src/file-check/checker.ts';
import { formOf, pdfOf } from '../support/files.ts';
import {
  bombOf,
  chunk,
  exifOf,
  fourQuarters,
  jpegOf,
  jpegOfScans,
  pngOf,
  seenIn,
  withChunks,
  withComment,
} from '../support/pictures.ts';
import { Scrape } from '../support/prometheus.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { responseClosed } from '../support/response-closed.ts';
import {
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { addAccount } from '../support/tenants.ts';
import { soon } from '../webhooks/scenario.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

const megabyte = 1024 * 1024;

function upload(contents: Uint8Array, filename = 'passport.jpg', to: Api = api): Promise<ApiResponse> {
  return to.post('/v1/files', formOf({ purpose: 'identity_document' }, contents, filename));
}

async function download(id: string, method = 'GET'): Promise<{ headers: Headers; bytes: Buffer }> {
  const response = await fetch(`${server.url}/v1/files/${id}/contents`, {
    method,
    headers: { authorization: `Bearer ${server.secretKey}` },
  });
  expect(response.status).toBe(200);
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Uploads a picture and returns what is stored. */
async function storedFrom(contents: Uint8Array): Promise<{ file: ApiResponse['body']; bytes: Buffer }> {
  const { body: file } = await good(upload(contents));
  return { file, bytes: (await download(file.id)).bytes };
}

async function rowsOn({ context }: TestServer): Promise<number[]> {
  const { rows } = await context.database.readers.query<{ files: number; parts: number; uploads: number }>(`
    select (select count(*) from files)::int as files, (select count(*) from file_parts)::int as parts,
      (select count(*) from file_uploads)::int as uploads`);
  return [rows[0]!.files, rows[0]!.parts, rows[0]!.uploads];
}

describe('pictures as files', () => {
  test.each([
    ['JPEG', 'image/jpeg', 'passport.jpg', jpegOf],
    ['PNG', 'image/png', 'passport.PNG', pngOf],
  ] as const)('stores a picture in its own format when it is a %s', async (_name, type, filename, make) => {
    const { body: file } = await good(upload(await make(), filename));
    const { headers, bytes } = await download(file.id);
    expectShape('file', file);
    expect(file).toMatchObject({
      purpose: 'identity_document',
      filename,
      content_type: type,
      customer: null,
      reference: null,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="${filename}"; filename*=UTF-8''${filename}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(await seenIn(bytes)).toEqual({ width: 64, height: 48, corners: ['red', 'green', 'blue', 'white'] });
    expect((await download(file.id, 'HEAD')).headers.get('content-type')).toBe(type);
  });

  test('tells browsers the type of the bytes, and a name that fits it, when a picture has the name of a page', async () => {
    const { body: file } = await good(upload(await jpegOf(), 'passport.html'));
    const { headers } = await download(file.id);
    expect(file.filename).toBe('passport.html');
    expect(headers.get('content-type')).toBe('image/jpeg');
    expect(headers.get('content-disposition')).toContain('filename="passport.html.jpg"');
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('stores a picture upright when its orientation is %i', async (orientation) => {
    const upright = await seenIn(await jpegOf());
    const turned = await turnedFor(orientation);
    const marked = await sharp(turned).jpeg({ quality: 95 }).withMetadata({ orientation }).toBuffer();
    const markedPng = withChunks(await sharp(turned).png().toBuffer(), chunk('eXIf', exifOf(orientation)));
    for (const picture of [marked, markedPng]) {
      const { bytes } = await storedFrom(picture);
      expect(await seenIn(bytes)).toEqual(upright);
      expect((await sharp(bytes).metadata()).orientation).toBeUndefined();
    }
  });

  test('strips place, camera, comments and previews when a JPEG has them', async () => {
    const place = {
      GPSLatitudeRef: 'N',
      GPSLatitude: '53/1 57/1 30/1',
      GPSLongitudeRef: 'W',
      GPSLongitude: '1/1 5/1 0/1',
    };
    const tagged = await fourQuarters()
      .jpeg()
      .withExif({ IFD0: { Make: 'Secret camera', Artist: 'Ada Lovelace' }, IFD3: place })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret-xmp/></x:xmpmeta>')
      .toBuffer();
    const marked = withComment(tagged, 'a secret comment');
    for (const secret of ['Secret camera', 'Ada Lovelace', 'secret-xmp', 'a secret comment', 'Exif'])
      expect(marked.includes(secret)).toBe(true);
    const { bytes } = await storedFrom(Buffer.concat([marked, Buffer.from('a secret preview')]));
    expect(/secret|Ada|Exif|xmp/i.exec(bytes.toString('latin1'))).toBeNull();
    const { exif, xmp, iptc, icc } = await sharp(bytes).metadata();
    expect([exif, xmp, iptc, icc]).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('strips texts and times when a PNG has them', async () => {
    const secret = Buffer.from('Comment\0<script>alert(document.domain)</script>');
    const picture = withChunks(
      await pngOf(),
      chunk('tEXt', secret),
      chunk('tIME', Buffer.from([7, 0xea, 11, 28, 1, 2, 3])),
    );
    const { bytes } = await storedFrom(picture);
    expect(/script|tEXt|tIME|eXIf/.exec(bytes.toString('latin1'))).toBeNull();
    expect((await seenIn(bytes)).corners).toEqual(['red', 'green', 'blue', 'white']);
  });

  test('keeps nothing of the document when a file is a picture and a PDF', async () => {
    const both = withComment(await jpegOf(), pdfOf('1 0 obj << /S /JavaScript >> endobj').toString('latin1'));
    const { file, bytes } = await storedFrom(Buffer.concat([both, pdfOf('Report')]));
    expect(file.content_type).toBe('image/jpeg');
    expect(/%PDF|JavaScript|%%EOF/.exec(bytes.toString('latin1'))).toBeNull();
  });

  test('stores the colours of screens when a JPEG has those of printers', async () => {
    const forPrint = await fourQuarters().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
    expect((await sharp(forPrint).metadata()).space).toBe('cmyk');
    const { bytes } = await storedFrom(forPrint);
    expect(await sharp(bytes).metadata()).toMatchObject({ space: 'srgb', channels: 3 });
    expect((await seenIn(bytes)).corners).toEqual(['red', 'green', 'blue', 'white']);
  });

  test.each([
    ['grey', () => fourQuarters().greyscale().png().toBuffer()],
    ['transparent', () => fourQuarters().ensureAlpha(0.5).png().toBuffer()],
    ['interlaced', () => fourQuarters().png({ progressive: true }).toBuffer()],
    ['of few colours', () => fourQuarters().png({ palette: true }).toBuffer()],
    ['of 16 bits', () => fourQuarters().toColourspace('rgb16').png().toBuffer()],
    ['of one dot', () => fourQuarters(1, 1).png().toBuffer()],
    ['progressive', () => fourQuarters().jpeg({ progressive: true }).toBuffer()],
  ])('stores a picture when it is %s', async (_name, make) => {
    const sent = await make();
    const { bytes } = await storedFrom(sent);
    const [before, after] = [await sharp(sent).metadata(), await sharp(bytes).metadata()];
    expect(after).toMatchObject({ format: before.format, width: before.width, height: before.height });
    expect(after.hasAlpha).toBe(before.hasAlpha);
  });

  test('returns the stored file when an upload is repeated with its key', async () => {
    const contents = await jpegOf();
    const headers = { 'idempotency-key': 'passport-of-ada' };
    const post = (): Promise<ApiResponse> =>
      api.post('/v1/files', formOf({ purpose: 'identity_document' }, contents, 'passport.jpg'), headers);
    const { body: file } = await good(post());
    const again = await good(post());
    expect(again.body).toEqual(file);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('accepts a picture of 40 million dots and refuses one more line', async () => {
    await good(upload(bombOf(8_000, 5_000)));
    expectRefusal(await upload(bombOf(8_000, 5_001)), { ...invalid('file'), says: /8000 × 5001 pixels.*40 million/ });
  });

  test('stores pictures of several accounts when they arrive at once', async () => {
    const pictures = await Promise.all([jpegOf(2_000, 1_500), pngOf(900, 700), jpegOf(), pngOf()]);
    const files = await Promise.all(pictures.map(async (picture) => (await good(upload(picture))).body));
    expect(files.map(({ content_type: type }) => type)).toEqual(['image/jpeg', 'image/png', 'image/jpeg', 'image/png']);
  });
});

describe('turns at the check', () => {
  test('checks the picture of another account first or second when many accounts of a tree send pictures', async () => {
    const { context } = server;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const held = (async function* (): AsyncGenerator<Buffer> {
      yield pdfOf('held');
      await released;
    })();
    const holding = context.fileChecker.inspect({ accountId: 'x', rootId: 'x' }, 'application/pdf', held);
    const picture = await pngOf();
    const checked: string[] = [];
    // A call waits for its turn at once.
    const remake = context.fileChecker.remake.bind(context.fileChecker);
    const turns = vi.spyOn(context.fileChecker, 'remake').mockImplementation(async (payer, ...file) => {
      const made = await remake(payer, ...file);
      checked.push(payer.rootId);
      return made;
    });
    onTestFinished(() => turns.mockRestore());
    const contexts = await Promise.all(
      Array.from({ length: 6 }, async () => (await good(api.post('/v1/accounts', { name: 'Branch' }))).body.id),
    );
    const send = (to: Api, headers: Record<string, string> = {}): Promise<ApiResponse> =>
      good(to.post('/v1/files', formOf({ purpose: 'identity_document' }, picture, 'x.png'), headers));
    const sending = contexts.map((id) => send(api, { 'service-context': id }));
    await vi.waitFor(() => expect(turns).toHaveBeenCalledTimes(6), soon);
    const other = await addAccount(server);
    sending.push(send(other.api));
    await vi.waitFor(() => expect(turns).toHaveBeenCalledTimes(7), soon);
    release();
    await Promise.all([holding, ...sending]);
    expect(checked.indexOf(other.accountId)).toBeLessThan(2);
  });
});

describe('records that name a picture', () => {
  test('refuses a picture as the report of a reference, and says that a report is a PDF', async () => {
    const { body: picture } = await good(upload(await jpegOf()));
    const { body: document } = await good(upload(pdfOf('Report')));
    const { body: reference } = await good(api.post('/v1/references', { application: 'app_of_another_system' }));
    const path = `/v1/references/${reference.id}`;
    const answer = await api.post(path, { outcome: 'accept', reference_pdf: picture.id });
    expectRefusal(answer, { ...invalid('reference_pdf'), says: /is a PDF, and this file is a picture/ });
    const old = await api.post(path, { outcome: 'accept', pdf: picture.id }, { 'service-version': '2025-09-01' });
    expect(old).toMatchObject({ status: 400, body: { error: { code: 'parameter_invalid', param: 'pdf' } } });
    expect((await good(api.get(path))).body).toMatchObject({ status: 'pending', reference_pdf: null });
    await good(api.post(path, { outcome: 'accept', reference_pdf: document.id }));
  });

  test('links evidence to a picture', async () => {
    const { body: picture } = await good(upload(await jpegOf()));
    const check = { status: 'unlimited', checked_on: '2026-01-10', files: [picture.id] };
    const { body: customer } = await good(api.post('/v1/customers', { name: 'Ada', right_to_rent: check }));
    expect(customer.right_to_rent.files).toEqual([picture.id]);
  });
});

describe('files that are no good pictures', () => {
  const noType = /must be a PDF, a JPEG or a PNG/;
  const damaged = /damaged or incomplete picture/;

  test.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
    ['a text under the name of a picture', () => Buffer.from('passport'), noType],
    ['no bytes', () => Buffer.alloc(0), noType],
    ['a GIF', () => fourQuarters().gif().toBuffer(), noType],
    ['a WebP', () => fourQuarters().webp().toBuffer(), noType],
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), noType],
    ['the first bytes of a JPEG', () => Buffer.from([0xff, 0xd8, 0xff]), damaged],
    [
      'the first bytes of a JPEG before a page',
      () => Buffer.from('\xff\xd8\xff<script>alert(1)</script>', 'latin1'),
      damaged,
    ],
    [
      'the signature of a PNG before nonsense',
      async () => Buffer.concat([(await pngOf()).subarray(0, 8), randomBytes(5_000)]),
      damaged,
    ],
    ['half a JPEG', async () => halfOf(await jpegOf(800, 600)), damaged],
    ['half a PNG', async () => halfOf(await pngOf(800, 600)), damaged],
    ['a PNG with a wrong checksum', async () => withWrongByte(await pngOf()), damaged],
    ['20,000 by 20,000 dots', () => bombOf(20_000, 20_000), /20000 × 20000 pixels.*Make it smaller/],
    ['a line of 40 million dots', () => bombOf(40_000_000, 1), /40000000 × 1 pixels.*32,767 in a line/],
    ['32,768 lines', () => bombOf(1, 32_768), /1 × 32768 pixels/],
    ['a JPEG of 65 scans', () => jpegOfScans(65), /progressive JPEG with more than 64 scans/],
    ['interlaced, and large', () => interlaced(bombOf(8_000, 5_000)), /progressive/],
    ['two billion by two billion dots', () => withSize(2_000_000_000), /pixels|damaged/],
    [
      '16 bits per colour and too many dots',
      () => fourQuarters(5_000, 5_500).toColourspace('rgb16').png().toBuffer(),
      /16 bits/,
    ],
    [
      'an animated PNG',
      async () => withChunks(await pngOf(), chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))),
      /animated/,
    ],
  ])('refuses the file with a reason, and keeps nothing, when it is %s', async (_name, make, says) => {
    const before = await rowsOn(server);
    const answer = await upload(await make());
    expectRefusal(answer, { ...invalid('file'), says });
    expect(await rowsOn(server)).toEqual(before);
    const { text } = await good(api.get(`/v1/logs/${answer.headers.get('request-id')}`));
    expect(text).not.toContain('script');
  });

  test('stores a JPEG when it has the most scans that are accepted', async () => {
    await good(upload(jpegOfScans(64)));
  });

  test('stores a JPEG when a video behind it has the bytes of many scans', async () => {
    const video = Buffer.concat(Array.from({ length: 100 }, () => Buffer.from([0xff, 0xda, 0, 8])));
    const { bytes } = await storedFrom(Buffer.concat([await jpegOf(), video]));
    expect((await seenIn(bytes)).corners).toEqual(['red', 'green', 'blue', 'white']);
  });

  test('stores a picture when a side has the most dots that are accepted', async () => {
    await good(upload(bombOf(32_767, 1_200)));
    await good(upload(bombOf(1_200, 32_767)));
  });

  test('refuses a picture, and keeps nothing, when it has a byte more than ten megabytes', async () => {
    const before = await rowsOn(server);
    const picture = await jpegOf();
    const padded = (size: number): Buffer => Buffer.concat([picture, Buffer.alloc(size - picture.length)]);
    expectRefusal(await upload(padded(10 * megabyte + 1)), refusals.bodyTooLarge);
    expect(await rowsOn(server)).toEqual(before);
    await good(upload(padded(10 * megabyte)));
  });

  test('refuses a picture when the rest of the form is wrong, and keeps nothing', async () => {
    const before = await rowsOn(server);
    expectRefusal(await api.post('/v1/files', formOf({ purpose: 'holiday' }, await jpegOf())), invalid('purpose'));
    expect(await rowsOn(server)).toEqual(before);
  });

  test('refuses a picture that takes too long, and stores the next one', async () => {
    const own = await serverForTest({ overrides: { fileChecks: { checkTimeoutMs: 1 } } });
    expectRefusal(await upload(await pngOf(2_000, 2_000), 'x.png', own.api), {
      ...invalid('file'),
      says: /takes too long/,
    });
    expect(await rowsOn(own)).toEqual([0, 0, 0]);
  });

  test('answers that it is overloaded when a file waits too long for its turn', async () => {
    const own = await serverForTest({ overrides: { fileChecks: { waitMs: 1 } } });
    const large = await pngOf(3_000, 3_000);
    const answers = await Promise.all([1, 2, 3].map(() => upload(large, 'x.png', own.api)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((left, right) => left - right)).toEqual([200, 503, 503]);
    expect(await rowsOn(own)).toEqual([1, expect.any(Number), 0]);
  });
});

/** Returns the test picture as a camera would store it that was held in this way (EXIF 2.3, orientation). */
async function turnedFor(orientation: number): Promise<Buffer> {
  const upright = await pngOf();
  const degrees: Record<number, number> = { 3: 180, 4: 180, 5: 90, 6: 270, 7: 270, 8: 90 };
  const turned = await sharp(upright)
    .rotate(degrees[orientation] ?? 0)
    .png()
    .toBuffer();
  const isMirrored = [2, 4, 5, 7].includes(orientation);
  return isMirrored ? sharp(turned).flop().png().toBuffer() : turned;
}

function halfOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

/** Changes a byte of the dots. */
function withWrongByte(png: Buffer): Buffer {
  const changed = Buffer.from(png);
  const at = changed.indexOf('IDAT') + 12;
  changed[at] = changed[at]! ^ 0xff;
  return changed;
}

/** Returns a PNG whose header tells of far more dots than it has. */
function withSize(side: number): Buffer {
  return withHeader(bombOf(8, 8), (header) => {
    header.writeUInt32BE(side, 0);
    header.writeUInt32BE(side, 4);
  });
}

/** Returns a PNG of 24 bits for each dot whose header says that it appears step by step. */
function interlaced(png: Buffer): Buffer {
  return withHeader(png, (header) => header.set([8, 2, 0, 0, 1], 8));
}

function withHeader(png: Buffer, change: (header: Buffer) => void): Buffer {
  const header = Buffer.from(png.subarray(16, 29));
  change(header);
  return Buffer.concat([png.subarray(0, 8), chunk('IHDR', header), png.subarray(33)]);
}

test('counts a picture until its check has ended when its client disconnects before', async () => {
  const began = Promise.withResolvers<void>();
  const checked = Promise.withResolvers<Buffer>();
  const own = await serverForTest({
    changeContext: (context) => ({
      ...context,
      fileChecker: {
        inspect: async () => {},
        remake: () => {
          began.resolve();
          return checked.promise;
        },
      },
    }),
  });
  const held = async (): Promise<number> =>
    new Scrape(await own.context.metrics.text()).value('tenure_held_bytes{kind="uploads"}')!;
  const picture = await pngOf(100, 100);
  const leaving = new AbortController();
  const closed = responseClosed('/v1/files');
  const sent = fetch(`${own.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${own.secretKey}` },
    body: formOf({ purpose: 'identity_document' }, picture, 'passport.png'),
    signal: leaving.signal,
  });
  await began.promise;
  leaving.abort();
  await expect(sent).rejects.toThrow('aborted');
  await closed;
  expect(await held()).toBeGreaterThan(0);
  checked.resolve(picture);
  await expect.poll(held).toBe(0);
});

/** Returns the processes that this one starts, in their order. */
function startedProcesses(): ChildProcess[] {
  const started: ChildProcess[] = [];
  const note = (message: unknown): unknown => started.push((message as { process: ChildProcess }).process);
  subscribe('child_process', note);
  onTestFinished(() => void unsubscribe('child_process', note));
  return started;
}

test('opens none of the compressed texts when a PNG has 790 MB of them', async () => {
  const started = startedProcesses();
  const checker = new FileChecker();
  onTestFinished(() => checker.stop());
  const text = chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(7_900_000, 'x'))]));
  const picture = withChunks(await pngOf(), ...Array.from({ length: 100 }, () => text));
  const payer = { accountId: 'acct_1', rootId: 'acct_1' };
  const stored = await checker.remake(payer, 'image/png', picture, 10 * megabyte);
  expect((await seenIn(stored)).corners).toEqual(['red', 'green', 'blue', 'white']);
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${started[0]!.pid}/status`, 'utf8'))!;
  expect(Number(kilobytes)).toBeLessThan(255_000);
});

test.each(['SIGKILL', 'SIGINT'] as const)(
  'refuses a file for a moment when the system ends the process that checks it (%s)',
  async (signal) => {
    const started = startedProcesses();
    const checker = new FileChecker();
    onTestFinished(() => checker.stop());
    async function* bytes(): AsyncGenerator<Buffer> {
      yield Buffer.from('%PDF-');
      started[0]!.kill(signal);
      await once(started[0]!, 'exit');
      yield Buffer.from('1.7');
    }
    const payer = { accountId: 'acct_1', rootId: 'acct_1' };
    await expect(checker.inspect(payer, 'application/pdf', bytes())).rejects.toMatchObject({ code: 'overloaded' });
    await checker.inspect(payer, 'application/pdf', [Buffer.from('%PDF-')]);
  },
);

test('refuses a file for a moment when too many files are open to start its check', () => {
  const checker = new URL('../../src/file-check/checker.ts', import.meta.url);
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { FileChecker } from '${checker.href}';
    const checker = new FileChecker();
    const payer = { accountId: 'acct_1', rootId: 'acct_1' };
    const check = () => checker.inspect(payer, 'application/pdf', [Buffer.from('%PDF-')]).then(() => 'accepted', ({ code }) => code);
    const open = [];
    try {
      for (;;) open.push(openSync('/dev/null'));
    } catch {}
    const without = await check();
    for (const file of open) closeSync(file);
    console.log(without, await check());
    await checker.stop();`;
  const node = ['-c', 'ulimit -n 100; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', script];
  expect(execFileSync('sh', node, { encoding: 'utf8' })).toBe('overloaded accepted\n');
});
