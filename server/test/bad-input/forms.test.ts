import { Busboy } from '@fastify/busboy';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { formOf, pdfOf } from '../support/files.ts';
import { naughtyStrings } from '../support/naughty-strings.ts';
import { rounds } from '../support/rounds.ts';
import { rawRequest } from '../support/raw-http.ts';
import { expectRefusal, invalid, missing, refusals, type Refusal } from '../support/refusals.ts';
import { inParallel } from '../support/routes.ts';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';

/*
 * Forms are the only bodies that are not JSON. Text in their fields comes back exactly or is refused by name. Anything that is not a form
 * is refused.
 */

const atOnce = 16;

const tried = rounds(
  naughtyStrings.filter((_, index) => index % 8 === 5),
  naughtyStrings,
);

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

test('returns any text of a form field exactly, or refuses it by the name of its field', async () => {
  let [kept, refused] = [0, 0];
  await inParallel(tried, atOnce, async (text) => {
    const answer = await api.post('/v1/files', formOf({ 'metadata[text]': text }));
    // A client that sends a form ends its lines with CRLF (WHATWG, multipart/form-data).
    const sent = text.toWellFormed().replaceAll(/\r\n|\r|\n/g, '\r\n');
    if (answer.status === 200) {
      // Metadata keeps no pair with an empty value.
      expect(answer.body.metadata).toEqual(sent === '' ? {} : { text: sent });
      kept++;
    } else {
      expectRefusal(answer, invalid('metadata[text]'));
      expect(sent.includes('\0') || Array.from(sent).length > 500, JSON.stringify(text)).toBe(true);
      refused++;
    }
  });
  expect(kept).toBeGreaterThan(rounds(50, 500));
  process.stdout.write(`forms: ${kept} texts came back exactly, ${refused} were refused\n`);
});

test('keeps any filename without its path, or refuses it', async () => {
  await inParallel(tried, atOnce, async (text) => {
    const answer = await api.post('/v1/files', formOf({}, pdfOf('x'), text === '' ? 'empty' : text));
    if (answer.status === 200) {
      expect(answer.body.filename).not.toMatch(/[/\\\p{Cc}]/u);
      const contents = await fetch(`${server.url}/v1/files/${answer.body.id}/contents`, {
        headers: { authorization: `Bearer ${server.secretKey}` },
      });
      expect(contents.status).toBe(200);
      // One header for any name, with the name in full. It ends as a PDF does.
      const disposition = contents.headers.get('content-disposition')!;
      expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''[\w.~%!$&+^`|-]*$/);
      const { filename } = answer.body;
      expect(decodeURIComponent(disposition.split("UTF-8''")[1]!)).toBe(
        /\.pdf$/i.test(filename) ? filename : `${filename}.pdf`,
      );
      await contents.arrayBuffer();
    } else {
      expect([answer.status, answer.body.error.code]).toEqual([400, 'parameter_invalid']);
      expect(answer.body.error.param).toMatch(/^file(\[filename\])?$/);
    }
  });
});

test('refuses a form before its fields are parsed when it is nothing but boundaries', async () => {
  const written = vi.spyOn(Busboy.prototype, 'write');
  onTestFinished(() => written.mockRestore());
  const answer = await rawRequest(server, 'POST /v1/files', {
    headers: ['Content-Type: multipart/form-data; boundary="b"'],
    body: Buffer.alloc(9_000_000, '--b\r\n'),
  });
  expectRefusal(answer, { ...refusals.bodyInvalid, says: 'more than 100 fields' });
  // A chunk of 64 kB has 13,000 of them, and the parser takes 45 µs for each.
  const parsed = written.mock.calls.map(([chunk]) => String(chunk).split('--b').length - 1);
  expect(parsed.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(102);
});

test.each<[string, string, Refusal]>([
  ['nothing but a boundary', '--b--\r\n', missing('purpose')],
  ['a field without a name', field('content-disposition: form-data', 'x'), refusals.bodyInvalid],
  ['a field with an empty name', field('content-disposition: form-data; name=""', 'x'), refusals.bodyInvalid],
  ['101 fields', Array.from({ length: 101 }, (_, index) => named(`f${index}`, 'x')).join(''), refusals.bodyInvalid],
  ['bytes that are no UTF-8', named('purpose', 'other\xff'), invalid('purpose')],
  [
    'a field that never ends',
    '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nother',
    refusals.bodyInvalid,
  ],
  [
    'half an emoji in a name',
    field(`content-disposition: form-data; name*=utf-16le''${utf16('metadata[\ud83d]')}`, 'x'),
    refusals.bodyInvalid,
  ],
  [
    'a NUL in a name',
    field("content-disposition: form-data; name*=utf-8''metadata%5B%00%5D", 'x'),
    refusals.bodyInvalid,
  ],
  ['half an emoji in a filename', file(`filename*=utf-16le''${utf16('\ud83d.pdf')}`), invalid('file')],
  ['a NUL in a filename', file("filename*=utf-8''a%00.pdf"), invalid('file')],
  ['a filename that hides its end', file("filename*=utf-8''report%E2%80%AEfdp.exe"), invalid('file')],
  ['a blank filename', file("filename*=utf-8''%E2%80%8B%20"), invalid('file')],
  ['a field of 300 kB', named('purpose', 'x'.repeat(300_000)), invalid('purpose')],
])('refuses a form of %s and leaves nothing behind', async (_name, text, refusal) => {
  const response = await fetch(`${server.url}/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.secretKey}`,
      'content-type': 'multipart/form-data; boundary=b',
    },
    body: Buffer.from(text.endsWith('other') || text.startsWith('--b--') ? text : `${text}--b--\r\n`, 'latin1'),
  });
  const whole = await response.text();
  const answer: ApiResponse = {
    status: response.status,
    headers: response.headers,
    text: whole,
    body: JSON.parse(whole),
  };
  expectRefusal(answer, refusal);
  const { rows } = await server.context.database.readers.query(
    'select from file_parts where not exists (select from files where files.id = file_parts.file)',
  );
  expect(rows).toEqual([]);
});

test('reads a name in an encoding of its own when it is valid text', async () => {
  const form = [
    named('purpose', 'other'),
    field(`content-disposition: form-data; name*=utf-16le''${utf16('metadata[😀]')}`, 'x'),
    file(`filename*=utf-16le''${utf16('😀.pdf')}`),
  ];
  const answer = await rawRequest(server, 'POST /v1/files', {
    headers: ['Content-Type: multipart/form-data; boundary=b'],
    body: Buffer.from(`${form.join('')}--b--\r\n`, 'latin1'),
  });
  expect([answer.status, answer.body.filename, answer.body.metadata]).toEqual([200, '😀.pdf', { '😀': 'x' }]);
});

function file(filename: string): string {
  const header = `content-disposition: form-data; name="file"; ${filename}`;
  return field(header, pdfOf('Report').toString('latin1'));
}

/** Encodes a text for a header parameter (RFC 8187). */
function utf16(text: string): string {
  return Array.from(Buffer.from(text, 'utf16le'), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function named(name: string, value: string): string {
  return field(`content-disposition: form-data; name="${name}"`, value);
}

function field(header: string, value: string): string {
  return `--b\r\n${header}\r\n\r\n${value}\r\n`;
}
