import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FileStore } from '../src/commit/file-store.ts';
import type { Context } from '../src/server/context.ts';
import { openDatabase, withClient } from '../src/db/pools.ts';
import { inMatrix } from './support/rounds.ts';
import { TestClock } from './support/clock.ts';
import { startDatabaseProxy, type DatabaseProxy } from './support/database-proxy.ts';
import { encodedForm, formOf, pdfOf } from './support/files.ts';
import { exchange, rawRequest } from './support/raw-http.ts';
import { expectRefusal, invalid, missing, refusals, unknown } from './support/refusals.ts';
import {
  createTestDatabase,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from './support/server.ts';
import { expectShape } from './support/shapes.ts';
import { addAccount, addKey, firstAccountId } from './support/tenants.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

const megabyte = 1024 * 1024;

describe('an upload', () => {
  test('answers the file, and its contents come back byte for byte', async () => {
    const contents = pdfOf(randomBytes(3 * megabyte));
    const form = formOf({ 'metadata[source]': 'Łukasz’s adviser' }, contents, 'Zeugnis für Łukasz.pdf');
    const { body: file } = await good(api.post('/v1/files', form));
    expect(file).toStrictEqual({
      id: expect.stringMatching(/^file_[0-9A-Za-z]{22}$/),
      object: 'file',
      created: expect.closeTo(Date.now() / 1000, -1),
      purpose: 'reference_report',
      filename: 'Zeugnis für Łukasz.pdf',
      size: contents.length,
      sha256: createHash('sha256').update(contents).digest('hex'),
      content_type: 'application/pdf',
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

  test('of ten megabytes is taken, and one byte more is not', async () => {
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
    ['a version that no PDF has', Buffer.from('%PDF-x.y\n%%EOF')],
    ['a picture', randomBytes(300_000)],
  ])('of %s is refused, whatever it is called', async (_name, contents) => {
    expectRefusal(await api.post('/v1/files', formOf({}, contents)), invalid('file'));
  });

  test.each<[string, Record<string, string | undefined>, Parameters<typeof expectRefusal>[1]]>([
    ['no purpose', { purpose: undefined }, missing('purpose')],
    ['an unknown purpose', { purpose: 'holiday' }, invalid('purpose')],
    ['an unknown field', { colour: 'red' }, unknown('colour')],
    ['metadata that is no pair', { metadata: 'x' }, invalid('metadata')],
    ['a metadata value that is too long', { 'metadata[a]': 'x'.repeat(501) }, invalid('metadata[a]')],
    ['a NUL', { 'metadata[a]': 'a\0b' }, invalid('metadata[a]')],
    ['a field of ten kilobytes', { purpose: 'x'.repeat(10_000) }, invalid('purpose')],
  ])('with %s is refused', async (_name, fields, refusal) => {
    expectRefusal(await api.post('/v1/files', formOf(fields)), refusal);
  });

  test('without a file, with two, or with text in its place is refused', async () => {
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

  test('of names that every object has leaves nothing behind but the pairs', async () => {
    const form = formOf({ 'metadata[__proto__]': 'a', 'metadata[constructor]': 'b' });
    const { text } = await good(api.post('/v1/files', form));
    expect(text).toContain('"metadata":{"__proto__":"a","constructor":"b"}');
    expect(({} as Record<string, unknown>).a).toBeUndefined();
    expectRefusal(await api.post('/v1/files', formOf({ __proto: 'x' })), unknown('__proto'));
  });

  test('must be a form, and a whole one', async () => {
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

  test('is logged with name, size and hash, and never with its bytes', async () => {
    const { body: file, headers } = await good(api.post('/v1/files', formOf({}, pdfOf('a very private thing'))));
    const { body: log } = await good(api.get(`/v1/logs/${headers.get('request-id')}`));
    const { filename, size, sha256, content_type } = file;
    expect(JSON.parse(log.request_body)).toStrictEqual({
      purpose: 'reference_report',
      file: { filename, size, sha256, content_type },
    });
    expect(log.events).toHaveLength(1);
  });

  describe('in chunks, whose length nobody knows before', () => {
    test('is taken like any other', async () => {
      const contents = pdfOf(randomBytes(megabyte));
      const { contentType, bytes } = await encodedForm(formOf({}, contents));
      const { body: file } = await good(inChunks([contentType], bytes));
      expect(Buffer.from(await (await download(file.id)).arrayBuffer()).equals(contents)).toBe(true);
    });

    test('is refused if it is too large or no form, and its bytes are not logged', async () => {
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

    test('and empty, it is a body without members, whatever its type', async () => {
      const { contentType } = await encodedForm(formOf());
      for (const types of [[], ['application/json'], [contentType]]) {
        expectRefusal(await inChunks(types, Buffer.alloc(0)), missing('purpose'));
      }
    });
  });

  test('that was refused leaves no bytes behind', async () => {
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

inMatrix(() => {
  test('an upload that takes longer than any other body may is waited for', async () => {
    const own = await serverForTest();
    const { contentType, bytes } = await encodedForm(formOf());
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write(
      `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${own.secretKey}\r\nConnection: close\r\n` +
        `Content-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, 100));
    // Any other would be cut off after fifteen seconds, and what the next look every two seconds adds.
    await delay(18_000);
    socket.write(bytes.subarray(100));
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  }, 40_000);
});

describe('an upload that was cut off', () => {
  test('by the client leaves no bytes behind, and no file', async () => {
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

  test('by the end of its process is removed within an hour; a file is not', async () => {
    const clock = new TestClock();
    const own = await serverForTest({ overrides: { clock } });
    const { context } = own;
    await good(own.api.post('/v1/files', formOf()));
    const accountId = await firstAccountId(own);
    const lost = context.ids.make('file');
    await context.fileStore.begin(accountId, lost, clock.nowMs());
    await context.fileStore.addPart(accountId, lost, 0, pdfOf('lost'));
    clock.advanceSeconds(3590);
    await context.fileStore.purge(clock.nowMs());
    expect(await partsOn(own)).toBe(2);
    // What became a file is no upload any more.
    expect(await uploadsOn(own)).toBe(1);
    clock.advanceSeconds(11);
    await context.fileStore.purge(clock.nowMs());
    expect(await partsOn(own)).toBe(1);
    expect(await uploadsOn(own)).toBe(0);
    expect((await good(own.api.get('/v1/files'))).body.count).toBe(1);
  });
});

describe('uploads at once', () => {
  test('are sixteen of an account; one more is told to wait, before it is read, and others are not', async () => {
    const own = await serverForTest();
    const other = await addAccount(own);
    const { body: connected } = await good(own.api.post('/v1/accounts', { name: 'A customer of ours' }));
    const hanging = await Promise.all(Array.from({ length: 16 }, () => hangingUpload(own, own.secretKey)));
    await expect.poll(() => uploadsOn(own)).toBe(16);
    // Not a byte of its body is sent.
    const refused = await exchange(own, `${headOfUpload(own.secretKey)}Connection: close\r\n\r\n`);
    expectRefusal(refused, { ...refusals.rateLimit, says: /16 uploads/ });
    // For whomever it acts.
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

  test('are sixty-four of all accounts; then the server is too busy for more', async () => {
    const own = await serverForTest();
    const keys: string[] = [];
    for (let index = 0; index < 4; index++) {
      keys.push((await addKey(own, (await addAccount(own)).accountId)).key);
    }
    const hanging = await Promise.all(keys.flatMap((key) => Array.from({ length: 16 }, () => hangingUpload(own, key))));
    await expect.poll(() => uploadsOn(own), { timeout: 5_000 }).toBe(64);
    expectRefusal(await own.api.post('/v1/files', formOf()), { ...refusals.overloaded, says: /uploads/ });
    await good(own.api.get('/v1/files'));
    for (const socket of hanging) socket.destroy();
    await expect.poll(async () => (await own.api.post('/v1/files', formOf())).status).toBe(200);
  });
});

test('an upload whose client is gone before anything is known of its key counts no more', async () => {
  const own = await serverForTest();
  const { api: other, key } = await addAccount(own);
  await withClient(own.connection, async (client) => {
    await client.query('begin; lock table api_keys');
    const sockets = await Promise.all(Array.from({ length: 16 }, () => hangingUpload(own, key)));
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await client.query(waiting)).rows.length).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    // Time for the server to learn of it.
    await delay(200);
    await client.query('rollback');
  });
  await expect.poll(async () => (await other.post('/v1/files', formOf())).status).toBe(200);
});

describe('what is left of uploads', () => {
  test('is removed however many were cut off, the oldest first', async () => {
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

  test('is removed at once where the key ended while the bytes came', async () => {
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

  test('is found later where a part was kept after all, though its connection was lost', async () => {
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
    await expect.poll(() => partsOn(own), { timeout: 5_000 }).toBe(1);
    clock.advanceSeconds(3601);
    await context.fileStore.purge(clock.nowMs());
    expect([await uploadsOn(own), await partsOn(own)]).toEqual([0, 0]);
  });
});

describe('while the database cannot be reached', () => {
  test('an upload and a download are told so, and nothing is left of them', async () => {
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
    // It is no file that is answered.
    for (const name of headersOfFiles) expect(lost.headers.get(name), name).toBeNull();
    proxy.open();
    expect((await own.api.get(`/v1/files/${file.id}/contents`)).status).toBe(200);
    expect(await partsOn(own)).toBe(1);
  });
});

describe('with an Idempotency-Key', () => {
  test('the same file again is the same upload, and another one is not', async () => {
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
    // Of all of these only the first one is kept.
    expect(await partsOn(own)).toBe(1);
    expect((await good(own.api.get('/v1/files'))).body.count).toBe(1);
  });
});

describe('a file', () => {
  test('can change its metadata, and nothing else', async () => {
    const { body: file } = await good(api.post('/v1/files', formOf()));
    const updated = await good(api.post(`/v1/files/${file.id}`, { metadata: { checked: 'yes' } }));
    expect(updated.body).toStrictEqual({ ...file, metadata: { checked: 'yes' } });
    expectRefusal(await api.post(`/v1/files/${file.id}`, { filename: 'x.pdf' }), unknown('filename'));
    expectRefusal(await api.post(`/v1/files/${file.id}`, { purpose: 'other' }), unknown('purpose'));
  });

  test('that is deleted takes its bytes with it', async () => {
    const own = await serverForTest();
    const { body: file } = await good(own.api.post('/v1/files', formOf()));
    expect(await partsOn(own)).toBe(1);
    const { body } = await good(own.api.delete(`/v1/files/${file.id}`));
    expect(body).toStrictEqual({ id: file.id, object: 'file', deleted: true });
    expect(await partsOn(own)).toBe(0);
    expectRefusal(await own.api.get(`/v1/files/${file.id}`), refusals.idUnknown);
    expectRefusal(await own.api.get(`/v1/files/${file.id}/contents`), refusals.idUnknown);
  });

  test('is found by its purpose', async () => {
    const own = await serverForTest();
    const { body: report } = await good(own.api.post('/v1/files', formOf()));
    await good(own.api.post('/v1/files', formOf({ purpose: 'income_evidence' })));
    const { body: list } = await good(own.api.get('/v1/files?purpose=reference_report'));
    expect(list).toStrictEqual({ object: 'list', count: 1, has_more: false, data: [report] });
  });

  test('is expanded in the reference whose report it is', async () => {
    const { body: file } = await good(api.post('/v1/files', formOf()));
    const { body: reference } = await good(api.post('/v1/references', { application: 'app_1' }));
    const path = `/v1/references/${reference.id}?expand=reference_pdf`;
    const { body } = await good(api.post(path, { reference_pdf: file.id, outcome: 'accept' }));
    expect(body.reference_pdf).toStrictEqual(file);
    expect((await good(api.get(path))).body.reference_pdf).toStrictEqual(file);
  });

  test('has events without its bytes', async () => {
    const { body: file } = await good(api.post('/v1/files', formOf()));
    await good(api.delete(`/v1/files/${file.id}`));
    const { body: events } = await good(api.get(`/v1/events?object_id=${file.id}`));
    expect(events.data.map(({ type }: { type: string }) => type)).toEqual(['file.deleted', 'file.created']);
    expect(events.data[1].data.object).toStrictEqual(file);
  });
});

describe('the contents', () => {
  test('need a permission of their own', async () => {
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

  test('of a file that is deleted before the first of them was read are answered like one that never was', async () => {
    const own = await serverForTest();
    const { body: file } = await good(own.api.post('/v1/files', formOf()));
    // As between the look at the file and the one at its bytes.
    await own.context.database.readers.query('delete from file_parts');
    const gone = await own.api.get(`/v1/files/${file.id}/contents`);
    expectRefusal(gone, refusals.idUnknown);
    for (const name of headersOfFiles) expect(gone.headers.get(name), name).toBeNull();
  });

  test('are nobody else’s', async () => {
    const { body: file } = await good(api.post('/v1/files', formOf()));
    const stranger = await addAccount(server);
    const { api: other } = await addKey(server, stranger.accountId, { permissions: ['file_contents.read'] });
    expectRefusal(await other.get(`/v1/files/${file.id}/contents`), refusals.idUnknown);
  });
});

/** Begins an upload of a megabyte, and stops within it. */
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

/** What only the answer with a file bears. */
const headersOfFiles = ['etag', 'content-disposition', 'content-security-policy', 'x-content-type-options'];

/** The bytes of files alone go through the proxy. */
function withFilesBehind({ connection }: DatabaseProxy): (context: Context) => Context {
  return (context) => {
    const behind = openDatabase(connection, context.log);
    onTestFinished(() => behind.end());
    return { ...context, fileStore: new FileStore(behind.files) };
  };
}

function inChunks(contentType: string[], body: Uint8Array): Promise<ApiResponse> {
  const headers = contentType.map((type) => `Content-Type: ${type}`);
  return rawRequest(server, 'POST /v1/files', { headers, body, chunked: true });
}

function download(id: string): Promise<Response> {
  return fetch(`${server.url}/v1/files/${id}/contents`, { headers: { authorization: `Bearer ${server.secretKey}` } });
}

/** How many parts of files are kept, whether they have become files or not. */
async function partsOn({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>('select count(*) from file_parts');
  return rows[0]!.count;
}

/** How many uploads are remembered as being under way. */
async function uploadsOn({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>('select count(*) from file_uploads');
  return rows[0]!.count;
}
