import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FileStore } from '../../src/commit/file-store.ts';
import type { Context } from '../../src/server/context.ts';
import { openDatabase, withClient } from '../../src/db/pools.ts';
import { TestClock } from '../support/clock.ts';
import { laterThanNow } from '../support/later-than-now.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { encodedForm, formOf, pdfOf } from '../support/files.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { expectRefusal, invalid, missing, refusals, unknown } from '../support/refusals.ts';
import {
  createTestDatabase,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

const megabyte = 1024 * 1024;

describe('file uploads', () => {
  test('stores a file and returns its contents byte for byte when it is uploaded', async () => {
    const madeNow = laterThanNow();
    const contents = pdfOf(randomBytes(3 * megabyte));
    const form = formOf({ 'metadata[source]': 'Łukasz’s adviser' }, contents, 'Zeugnis für Łukasz.pdf');
    const { body: file } = await good(api.post('/v1/files', form));
    expect(file).toStrictEqual({
      id: expect.stringMatching(/^file_[0-9A-Za-z]{22}$/),
      object: 'file',
      created: madeNow,
      purpose: 'reference_report',
      filename: 'Zeugnis für Łukasz.pdf',
      size: contents.length,
      sha256: createHash('sha256').update(contents).digest('hex'),
      content_type: 'application/pdf',
      customer: null,
      reference: null,
      metadata: { source: 'Łukasz’s adviser' },
    });
    expectShape('file', file);
    expect((await good(api.get(`/v1/files/${file.id}`))).body).toStrictEqual(file);

    const answer = await download(file.id);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(contents.length),
      'content-disposition': `attachment; filename="Zeugnis f_r _ukasz.pdf"; filename*=UTF-8''Zeugnis%20f%C3%BCr%20%C5%81ukasz.pdf`,
      'x-content-type-options': 'nosniff',
      etag: `"${file.sha256}"`,
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(contents)).toBe(true);
  });

  test.each(['payslip.html', 'payslip.hta', 'payslip.pdf.html', 'payslip'])(
    'gives a download a name that opens as a PDF when the name is %s',
    async (filename) => {
      // A text that is a PDF for a viewer of PDFs, and a page for a browser.
      const contents = pdfOf('<script>alert(1)</script>');
      const { body: file } = await good(api.post('/v1/files', formOf({}, contents, filename)));
      expect(file.filename).toBe(filename);
      expect((await download(file.id)).headers.get('content-disposition')).toContain(`filename="${filename}.pdf"`);
    },
  );

  test('accepts a file of ten megabytes and refuses one byte more when it is uploaded', async () => {
    const most = pdfOf(Buffer.alloc(10 * megabyte - pdfOf('').length, 'x'));
    expect(most.length).toBe(10 * megabyte);
    const { body: file } = await good(api.post('/v1/files', formOf({}, most)));
    expect(file.size).toBe(10 * megabyte);
    expect(Buffer.from(await (await download(file.id)).arrayBuffer()).equals(most)).toBe(true);
    const tooMuch = pdfOf(Buffer.alloc(10 * megabyte - pdfOf('').length + 1, 'x'));
    expectRefusal(await api.post('/v1/files', formOf({}, tooMuch)), refusals.bodyTooLarge);
  });

  test.each<[string, Uint8Array]>([
    ['nothing', Buffer.alloc(0)],
    ['a web page', Buffer.from('<html><script>alert(1)</script>%%EOF')],
    ['a PDF that is not at the beginning', Buffer.concat([Buffer.from('GIF89a'), pdfOf('')])],
    ['a PDF whose end is missing', pdfOf('Report').subarray(0, 20)],
    ['a PDF whose end is followed by other things', Buffer.concat([pdfOf(''), Buffer.alloc(2000, 'x')])],
    ['a PDF header without a version', Buffer.from('%PDF-x.y\n%%EOF')],
    ['a picture', randomBytes(300_000)],
  ])('refuses a file with any name when its contents are %s', async (_name, contents) => {
    expectRefusal(await api.post('/v1/files', formOf({}, contents)), invalid('file'));
  });

  test.each<[string, Record<string, string | undefined>, Parameters<typeof expectRefusal>[1]]>([
    ['no purpose', { purpose: undefined }, missing('purpose')],
    ['an unknown purpose', { purpose: 'holiday' }, invalid('purpose')],
    ['an unknown field', { colour: 'red' }, unknown('colour')],
    ['metadata that is not a pair', { metadata: 'x' }, invalid('metadata')],
    ['a metadata value that is too long', { 'metadata[a]': 'x'.repeat(501) }, invalid('metadata[a]')],
    ['a NUL', { 'metadata[a]': 'a\0b' }, invalid('metadata[a]')],
    ['a field of ten kilobytes', { purpose: 'x'.repeat(10_000) }, invalid('purpose')],
  ])('refuses an upload when it has %s', async (_name, fields, refusal) => {
    expectRefusal(await api.post('/v1/files', formOf(fields)), refusal);
  });

  test("refuses an upload when it has no file, two files, or text in the file's place", async () => {
    const form = new FormData();
    form.append('purpose', 'other');
    expectRefusal(await api.post('/v1/files', form), missing('file'));
    form.append('file', 'just text');
    expectRefusal(await api.post('/v1/files', form), invalid('file'));
    const two = formOf();
    two.append('file', new Blob([Uint8Array.from(pdfOf('x'))]), 'two.pdf');
    expectRefusal(await api.post('/v1/files', two), invalid('file'));
    const twice = formOf();
    twice.append('purpose', 'other');
    expectRefusal(await api.post('/v1/files', twice), invalid('purpose'));
  });

  test('stores only metadata pairs when fields are named like members of every JavaScript object', async () => {
    const form = formOf({ 'metadata[__proto__]': 'a', 'metadata[constructor]': 'b' });
    const { text } = await good(api.post('/v1/files', form));
    expect(text).toContain('"metadata":{"__proto__":"a","constructor":"b"}');
    expect(({} as Record<string, unknown>).a).toBeUndefined();
    expectRefusal(await api.post('/v1/files', formOf({ __proto: 'x' })), unknown('__proto'));
  });

  test('refuses an upload when it is not a complete form', async () => {
    expectRefusal(await api.post('/v1/files', { purpose: 'other' }), {
      ...refusals.contentType,
      says: /multipart\/form-data/,
    });
    const post = (type: string, body: string): Promise<ApiResponse> =>
      api.post('/v1/files', body, { 'content-type': type });
    const part = '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nother\r\n';
    expectRefusal(await post('multipart/form-data', part), refusals.bodyInvalid);
    expectRefusal(await post('multipart/form-data; boundary=b', part), refusals.bodyInvalid);
    expectRefusal(await post('multipart/form-data; boundary=b', 'no form at all'), refusals.bodyInvalid);
    expectRefusal(await post('multipart/form-data; boundary=b', `${part}--b--\r\n`), missing('file'));
    expectRefusal(await api.post('/v1/files'), missing('purpose'));
    expectRefusal(await api.post('/v1/customers', formOf()), { ...refusals.contentType, says: /application\/json/ });
  });

  test('logs name, size and hash without the bytes when a file is uploaded', async () => {
    const { body: file, headers } = await good(api.post('/v1/files', formOf({}, pdfOf('a very private thing'))));
    const { body: log } = await good(api.get(`/v1/logs/${headers.get('request-id')}`));
    const { filename, size, sha256, content_type } = file;
    expect(JSON.parse(log.request_body)).toStrictEqual({
      purpose: 'reference_report',
      file: { filename, size, sha256, content_type },
    });
    expect(log.events).toHaveLength(1);
  });

  describe('chunked uploads', () => {
    test('accepts a chunked upload when it is valid', async () => {
      const contents = pdfOf(randomBytes(megabyte));
      const { contentType, bytes } = await encodedForm(formOf({}, contents));
      const { body: file } = await good(inChunks([contentType], bytes));
      expect(Buffer.from(await (await download(file.id)).arrayBuffer()).equals(contents)).toBe(true);
    });

    test('refuses a chunked upload without logging its bytes when it is too large or not a form', async () => {
      const tooLarge = await encodedForm(formOf({}, pdfOf(Buffer.alloc(11 * megabyte, 'x'))));
      expectRefusal(await inChunks([tooLarge.contentType], tooLarge.bytes), refusals.bodyTooLarge);
      const { contentType, bytes } = await encodedForm(formOf({}, pdfOf('a very private thing')));
      for (const types of [[], ['application/json'], ['multipart/mixed']]) {
        const answer = await inChunks(types, bytes);
        expectRefusal(answer, { ...refusals.contentType, says: /multipart\/form-data/ });
        const { body: log } = await good(api.get(`/v1/logs/${answer.headers.get('request-id')}`));
        expect(log.request_body).toBeNull();
      }
      const cutOff = await inChunks([contentType], bytes.subarray(0, -10));
      expectRefusal(cutOff, refusals.bodyInvalid);
      const { text } = await good(api.get(`/v1/logs/${cutOff.headers.get('request-id')}`));
      expect(text).not.toContain('private');
    });

    test('treats an empty chunked body as a body without members when it has any type', async () => {
      const { contentType } = await encodedForm(formOf());
      for (const types of [[], ['application/json'], [contentType]]) {
        expectRefusal(await inChunks(types, Buffer.alloc(0)), missing('purpose'));
      }
    });
  });

  test('deletes the uploaded bytes when an upload is refused', async () => {
    const own = await serverForTest();
    expectRefusal(await own.api.post('/v1/files', formOf({ purpose: 'holiday' })), invalid('purpose'));
    expectRefusal(await own.api.post('/v1/files', formOf({}, randomBytes(megabyte))), invalid('file'));
    expectRefusal(
      await own.api.post('/v1/files', formOf({}, pdfOf(randomBytes(11 * megabyte)))),
      refusals.bodyTooLarge,
    );
    expect(await partsOn(own)).toBe(0);
  });
});

describe('interrupted uploads', () => {
  test('keeps neither bytes nor a file when the client breaks the upload off', async () => {
    const own = await serverForTest();
    const { contentType, bytes } = await encodedForm(formOf({}, pdfOf(randomBytes(5 * megabyte))));
    const head =
      `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${own.secretKey}\r\n` +
      `Content-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    socket.write(head);
    socket.write(bytes.subarray(0, 3 * megabyte));
    await expect.poll(() => partsOn(own)).toBeGreaterThan(5);
    socket.destroy();
    await expect.poll(() => partsOn(own)).toBe(0);
    expect((await good(own.api.get('/v1/files'))).body.count).toBe(0);
  });

  test('removes an unfinished upload within an hour when its process has ended, and keeps finished files', async () => {
    const clock = new TestClock();
    const own = await serverForTest({ overrides: { clock } });
    clock.stop();
    const { context } = own;
    await good(own.api.post('/v1/files', formOf()));
    const accountId = await firstAccountId(own);
    const lost = context.ids.make('file');
    await context.fileStore.begin(accountId, lost, clock.nowMs());
    await context.fileStore.addPart(accountId, lost, 0, pdfOf('lost'));
    clock.advanceSeconds(3590);
    await context.fileStore.purge(clock.nowMs());
    expect(await partsOn(own)).toBe(2);
    // A finished file is no longer listed as an upload.
    expect(await uploadsOn(own)).toBe(1);
    clock.advanceSeconds(11);
    await context.fileStore.purge(clock.nowMs());
    expect(await partsOn(own)).toBe(1);
    expect(await uploadsOn(own)).toBe(0);
    expect((await good(own.api.get('/v1/files'))).body.count).toBe(1);
  });
});

describe('simultaneous uploads', () => {
  test("refuses an account's 17th upload before its body, and no other account's, when 16 are running", async () => {
    const own = await serverForTest();
    const other = await addAccount(own);
    const { body: connected } = await good(own.api.post('/v1/accounts', { name: 'A customer of ours' }));
    const hanging = await Promise.all(Array.from({ length: 16 }, () => hangingUpload(own, own.secretKey)));
    await expect.poll(() => uploadsOn(own)).toBe(16);
    // Sends no byte of the body.
    const refused = await exchange(own, `${headOfUpload(own.secretKey)}Connection: close\r\n\r\n`);
    expectRefusal(refused, { ...refusals.rateLimit, says: /16 uploads/ });
    // The limit counts the account of the key, and not the one it acts for.
    const context = { 'service-context': connected.id };
    expectRefusal(await own.api.post('/v1/files', formOf(), context), refusals.rateLimit);
    await good(own.api.post('/v1/customers', { name: 'Ada' }));
    await good((await addKey(own, other.accountId)).api.post('/v1/files', formOf()));
    hanging[0]!.destroy();
    await expect.poll(async () => (await own.api.post('/v1/files', formOf())).status).toBe(200);
    for (const socket of hanging) socket.destroy();
    await expect.poll(() => uploadsOn(own)).toBe(0);
    await Promise.all(Array.from({ length: 16 }, () => good(own.api.post('/v1/files', formOf()))));
  });

  test('refuses an upload as overloaded when 64 of all accounts are running', async () => {
    const own = await serverForTest();
    const hanging: Socket[] = [];
    // From the 49th on, an account begins more only while it leaves as many as it has. Its first two can take any place.
    for (const count of [16, 16, 16, 8, 4, 2, 2]) {
      const { key } = await addKey(own, (await addAccount(own)).accountId);
      hanging.push(...(await Promise.all(Array.from({ length: count }, () => hangingUpload(own, key)))));
      await expect.poll(() => uploadsOn(own)).toBe(hanging.length);
    }
    expect(hanging).toHaveLength(64);
    expectRefusal(await own.api.post('/v1/files', formOf()), { ...refusals.overloaded, says: /uploads/ });
    await good(own.api.get('/v1/files'));
    for (const socket of hanging) socket.destroy();
    await expect.poll(async () => (await own.api.post('/v1/files', formOf())).status).toBe(200);
  });
});

test('stops counting an upload when its client is gone before its key is checked', async () => {
  const own = await serverForTest();
  const { api: other, key } = await addAccount(own);
  await withClient(own.connection, async (client) => {
    await client.query('begin; lock table api_keys');
    const sockets = await Promise.all(Array.from({ length: 16 }, () => hangingUpload(own, key)));
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await client.query(waiting)).rows.length).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    // Time for the server to notice the closed connection.
    await delay(200);
    await client.query('rollback');
  });
  await expect.poll(async () => (await other.post('/v1/files', formOf())).status).toBe(200);
});

test('lets the trees of accounts take turns at parts of files, and in a tree its accounts, when many arrive at once', async () => {
  const own = await serverForTest();
  const platform = await addAccount(own);
  const { body: connected } = await good(platform.api.post('/v1/accounts', { name: 'Branch' }));
  const another = await addAccount(own);
  const { database, accounts, ids, realClock } = own.context;
  const files = [platform.accountId, platform.accountId, platform.accountId, connected.id, another.accountId].map(
    (accountId) => ({ accountId, id: ids.make('file') }),
  );
  const trees = new Map(files.map(({ accountId }) => [accountId, accounts.get(accountId)]));
  const store = new FileStore(database.files, { get: (id) => trees.get(id)! }, 1);
  for (const { accountId, id } of files) await store.begin(accountId, id, realClock.nowMs());
  const ends: string[] = [];
  const writing = await withClient(own.connection, async (client) => {
    await client.query('begin; lock table file_parts in share mode');
    return files.map(async ({ accountId, id }) => {
      await store.addPart(accountId, id, 0, pdfOf('part'));
      ends.push(accountId);
    });
  });
  await Promise.all(writing);
  // The first one had nothing to wait for.
  expect(ends).toEqual([platform.accountId, another.accountId, platform.accountId, connected.id, platform.accountId]);
});

describe('unfinished uploads', () => {
  test('removes unfinished uploads, the oldest first, when any number was interrupted', async () => {
    const own = await serverForTest();
    const { context } = own;
    const accountId = await firstAccountId(own);
    const hoursAgo = (hours: number): number => context.clock.nowMs() - hours * 3600_000;
    for (let index = 0; index < 50; index++) {
      const lost = context.ids.make('file');
      await context.fileStore.begin(accountId, lost, hoursAgo(1 + ((index * 7) % 50)));
      await context.fileStore.addPart(accountId, lost, 0, pdfOf('lost'));
    }
    const stopping = new AbortController();
    const purging = context.fileStore.purge(context.clock.nowMs(), stopping.signal);
    stopping.abort();
    await purging;
    const { rows } = await context.database.readers.query<{ started: number }>(
      'select started_at_ms as started from file_uploads order by started_at_ms',
    );
    expect(rows.length).toBe(30);
    expect(rows[0]!.started).toBeGreaterThan(hoursAgo(31));
    await context.fileStore.purge(context.clock.nowMs());
    expect([await uploadsOn(own), await partsOn(own)]).toEqual([0, 0]);
  });

  test('removes the bytes of an upload at once when its key ends meanwhile', async () => {
    const own = await serverForTest();
    const { body: key } = await good(
      own.api.post('/v1/api_keys', { type: 'restricted', permissions: ['files.write'] }),
    );
    const { contentType, bytes } = await encodedForm(formOf({}, pdfOf(randomBytes(megabyte))));
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.write(
      `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key.secret}\r\n` +
        `Content-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, -1));
    await expect.poll(() => partsOn(own)).toBeGreaterThan(2);
    await good(own.api.delete(`/v1/api_keys/${key.id}`));
    socket.write(bytes.subarray(-1));
    await expect.poll(() => answer).toContain('api_key_expired');
    socket.destroy();
    expect([await uploadsOn(own), await partsOn(own)]).toEqual([0, 0]);
  });

  test('removes a stored part later when the connection was lost on writing it', async () => {
    const clock = new TestClock();
    const { connection, drop } = await createTestDatabase();
    onTestFinished(drop);
    const proxy = await startDatabaseProxy(connection);
    onTestFinished(() => proxy.stop());
    const own = await serverForTest({ connection, overrides: { clock }, changeContext: withFilesBehind(proxy) });
    const { context } = own;
    const { readers } = context.database;
    await readers.query(`
      create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(2); return new; end';
      create trigger slowly before insert on file_parts execute function slowly()`);
    const refused = own.api.post('/v1/files', formOf());
    const sleeping = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    await expect.poll(async () => (await readers.query(sleeping)).rows.length).toBe(1);
    proxy.close();
    proxy.open();
    expectRefusal(await refused, refusals.unavailable);
    expect(await partsOn(own)).toBe(0);
    await expect.poll(() => partsOn(own)).toBe(1);
    clock.advanceSeconds(3601);
    await context.fileStore.purge(clock.nowMs());
    expect([await uploadsOn(own), await partsOn(own)]).toEqual([0, 0]);
  });
});

describe('uploads without a database', () => {
  test('fails an upload and a download without a trace when the database cannot be reached', async () => {
    const { connection, drop } = await createTestDatabase();
    onTestFinished(drop);
    const proxy = await startDatabaseProxy(connection);
    onTestFinished(() => proxy.stop());
    const own = await serverForTest({ connection, changeContext: withFilesBehind(proxy) });
    const { body: file } = await good(own.api.post('/v1/files', formOf({}, pdfOf('Report'))));
    proxy.close();
    expectRefusal(await own.api.post('/v1/files', formOf()), refusals.unavailable);
    const lost = await own.api.get(`/v1/files/${file.id}/contents`);
    expectRefusal(lost, refusals.unavailable);
    // The response is an error and not a file.
    for (const name of headersOfFiles) expect(lost.headers.get(name), name).toBeNull();
    proxy.open();
    expect((await own.api.get(`/v1/files/${file.id}/contents`)).status).toBe(200);
    expect(await partsOn(own)).toBe(1);
  });
});

describe('uploads with an Idempotency-Key', () => {
  test('replays an upload when the same file is sent again, and refuses another file', async () => {
    const own = await serverForTest();
    const key = { 'idempotency-key': 'upload-1' };
    const first = await good(own.api.post('/v1/files', formOf({}, pdfOf('one')), key));
    const again = await good(own.api.post('/v1/files', formOf({}, pdfOf('one')), key));
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const other of [
      formOf({}, pdfOf('two')),
      formOf({}, pdfOf('one'), 'other.pdf'),
      formOf({ purpose: 'other' }, pdfOf('one')),
      formOf({ 'metadata[a]': 'b' }, pdfOf('one')),
    ]) {
      expectRefusal(await own.api.post('/v1/files', other, key), refusals.idempotencyReused);
    }
    // Only the first file is stored.
    expect(await partsOn(own)).toBe(1);
    expect((await good(own.api.get('/v1/files'))).body.count).toBe(1);
  });
});

describe('file records', () => {
  test('changes only metadata when a file is updated', async () => {
    const { body: file } = await good(api.post('/v1/files', formOf()));
    const updated = await good(api.post(`/v1/files/${file.id}`, { metadata: { checked: 'yes' } }));
    expect(updated.body).toStrictEqual({ ...file, metadata: { checked: 'yes' } });
    expectRefusal(await api.post(`/v1/files/${file.id}`, { filename: 'x.pdf' }), unknown('filename'));
    expectRefusal(await api.post(`/v1/files/${file.id}`, { purpose: 'other' }), unknown('purpose'));
  });

  test('deletes the bytes when a file is deleted', async () => {
    const own = await serverForTest();
    const { body: file } = await good(own.api.post('/v1/files', formOf()));
    expect(await partsOn(own)).toBe(1);
    const { body } = await good(own.api.delete(`/v1/files/${file.id}`));
    expect(body).toStrictEqual({ id: file.id, object: 'file', deleted: true });
    expect(await partsOn(own)).toBe(0);
    expectRefusal(await own.api.get(`/v1/files/${file.id}`), refusals.idUnknown);
    expectRefusal(await own.api.get(`/v1/files/${file.id}/contents`), refusals.idUnknown);
  });

  test('finds files when they are filtered by purpose', async () => {
    const own = await serverForTest();
    const { body: report } = await good(own.api.post('/v1/files', formOf()));
    await good(own.api.post('/v1/files', formOf({ purpose: 'income_evidence' })));
    const { body: list } = await good(own.api.get('/v1/files?purpose=reference_report'));
    expect(list).toStrictEqual({ object: 'list', count: 1, has_more: false, data: [report] });
  });

  test('finds files when they are filtered by the reference for which they are evidence', async () => {
    const [first, second] = [
      (await good(api.post('/v1/references', { application: 'app_1' }))).body,
      (await good(api.post('/v1/references', { application: 'app_1' }))).body,
    ];
    const { body: payslip } = await good(api.post('/v1/files', formOf({ reference: first.id })));
    await good(api.post('/v1/files', formOf({ reference: second.id })));
    const { body: photo } = await good(api.post('/v1/files', formOf({ reference: first.id })));
    expectShape('file', payslip);
    expect(payslip).toMatchObject({ reference: first.id, customer: null });
    const { body: list } = await good(api.get(`/v1/files?reference=${first.id}`));
    expect(list).toStrictEqual({ object: 'list', count: 2, has_more: false, data: [photo, payslip] });
    const { body: expanded } = await good(api.get(`/v1/files/${photo.id}?expand=reference`));
    expect(expanded.reference).toStrictEqual(first);
  });

  test('keeps the id of another system when a file is evidence for a reference there', async () => {
    const { body: file } = await good(api.post('/v1/files', formOf({ reference: 'crm_7' })));
    expect(file.reference).toBe('crm_7');
  });

  test('refuses an upload when its reference is a record of another kind, of another account, erased or empty', async () => {
    const own = await serverForTest();
    const { body: person } = await good(own.api.post('/v1/customers', { name: 'Ada' }));
    const { body: erased } = await good(own.api.post('/v1/references', { application: 'app_1' }));
    await good(own.api.post(`/v1/references/${erased.id}/erase`));
    const { api: stranger } = await addKey(own, (await addAccount(own)).accountId, {
      permissions: ['references.write', 'references.read'],
    });
    const { body: foreign } = await good(stranger.post('/v1/references', { application: 'app_1' }));
    for (const id of [person.id, foreign.id]) {
      const refused = await own.api.post('/v1/files', formOf({ reference: id }));
      expectRefusal(refused, { ...refusals.idUnknown, status: 400, param: 'reference', says: id });
    }
    for (const id of [erased.id, ''])
      expectRefusal(await own.api.post('/v1/files', formOf({ reference: id })), invalid('reference'));
    expect((await good(own.api.get('/v1/files'))).body.count).toBe(0);
    expect(await partsOn(own)).toBe(0);
  });

  test("expands a file in the reference when it is the reference's report", async () => {
    const { body: file } = await good(api.post('/v1/files', formOf()));
    const { body: reference } = await good(api.post('/v1/references', { application: 'app_1' }));
    const path = `/v1/references/${reference.id}?expand=reference_pdf`;
    const { body } = await good(api.post(path, { reference_pdf: file.id, outcome: 'accept' }));
    expect(body.reference_pdf).toStrictEqual(file);
    expect((await good(api.get(path))).body.reference_pdf).toStrictEqual(file);
  });

  test('leaves the bytes out of events when a file is created or deleted', async () => {
    const { body: file } = await good(api.post('/v1/files', formOf()));
    await good(api.delete(`/v1/files/${file.id}`));
    const { body: events } = await good(api.get(`/v1/events?object_id=${file.id}`));
    expect(events.data.map(({ type }: { type: string }) => type)).toEqual(['file.deleted', 'file.created']);
    expect(events.data[1].data.object).toStrictEqual(file);
  });
});

describe('file contents', () => {
  test('returns the contents as bytes of any kind when the client accepts nothing else', async () => {
    const contents = pdfOf(randomBytes(1_000));
    const { body: file } = await api.post('/v1/files', formOf({}, contents));
    const answer = await fetch(`${server.url}/v1/files/${file.id}/contents`, {
      headers: { authorization: `Bearer ${server.secretKey}`, accept: 'application/octet-stream' },
    });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await answer.arrayBuffer()).equals(contents)).toBe(true);
  });

  test('requires file_contents.read when the contents are downloaded', async () => {
    const tenant = await addAccount(server);
    const { api: writer } = await addKey(server, tenant.accountId, { permissions: ['files.write'] });
    const { api: reader } = await addKey(server, tenant.accountId, { permissions: ['file_contents.read'] });
    const { body: file } = await good(writer.post('/v1/files', formOf()));
    expectRefusal(await writer.get(`/v1/files/${file.id}/contents`), {
      ...refusals.permission,
      says: /file_contents\.read/,
    });
    expectRefusal(await reader.get(`/v1/files/${file.id}`), refusals.permission);
    expect((await reader.get(`/v1/files/${file.id}/contents`)).status).toBe(200);
  });

  test('returns the 404 of an unknown file when a file is deleted before its first byte was read', async () => {
    const own = await serverForTest();
    const { body: file } = await good(own.api.post('/v1/files', formOf()));
    // As if it was deleted between the reads of the record and of the bytes.
    await own.context.database.readers.query('delete from file_parts');
    const gone = await own.api.get(`/v1/files/${file.id}/contents`);
    expectRefusal(gone, refusals.idUnknown);
    for (const name of headersOfFiles) expect(gone.headers.get(name), name).toBeNull();
  });

  test('returns 404 when another account asks for the contents', async () => {
    const { body: file } = await good(api.post('/v1/files', formOf()));
    const stranger = await addAccount(server);
    const { api: other } = await addKey(server, stranger.accountId, { permissions: ['file_contents.read'] });
    expectRefusal(await other.get(`/v1/files/${file.id}/contents`), refusals.idUnknown);
  });
});

/** Begins an upload of a megabyte, and stops in the middle. */
async function hangingUpload({ url }: TestServer, key: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const field = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n';
  await new Promise((resolve) => socket.write(`${headOfUpload(key)}\r\n${field}`, resolve));
  return socket;
}

function headOfUpload(key: string): string {
  return (
    `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${megabyte}\r\n`
  );
}

/** Headers that only a response with a file has. */
const headersOfFiles = ['etag', 'content-disposition', 'content-security-policy', 'x-content-type-options'];

/** Passes only the bytes of files through the proxy. */
function withFilesBehind({ connection }: DatabaseProxy): (context: Context) => Context {
  return (context) => {
    const behind = openDatabase(connection, context.log);
    onTestFinished(() => behind.end());
    return { ...context, fileStore: new FileStore(behind.files, context.accounts, 2) };
  };
}

function inChunks(contentType: string[], body: Uint8Array): Promise<ApiResponse> {
  const headers = contentType.map((type) => `Content-Type: ${type}`);
  return rawRequest(server, 'POST /v1/files', { headers, body, chunked: true });
}

function download(id: string): Promise<Response> {
  return fetch(`${server.url}/v1/files/${id}/contents`, { headers: { authorization: `Bearer ${server.secretKey}` } });
}

/** Counts the stored file parts, of uploads and of files. */
async function partsOn({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>('select count(*) from file_parts');
  return rows[0]!.count;
}

/** Counts the uploads that are recorded as unfinished. */
async function uploadsOn({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>('select count(*) from file_uploads');
  return rows[0]!.count;
}
