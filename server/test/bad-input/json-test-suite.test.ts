import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gitHashOf } from '../support/git-hash.ts';
import { rawRequest } from '../support/raw-http.ts';
import { expectRefusal, invalid, missing, refusals, unknown, type Refusal } from '../support/refusals.ts';
import { inParallel } from '../support/routes.ts';
import { startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';

/*
 * JSONTestSuite by Nicolas Seriot (see data/json-test-suite/). Every parser must accept its `y_` files and refuse its `n_` files. Each
 * parser may decide about its `i_` files. Each file is sent as a body and as a value within one.
 */

const path = '/v1/references';

/** Refused although they are JSON, because programs read them differently: duplicate keys and NUL. */
const refusedOfAccepted: Record<string, string> = {
  'y_object_duplicated_key.json': 'twice',
  'y_object_duplicated_key_and_value.json': 'twice',
  'y_object_escaped_null_in_key.json': 'NUL',
  'y_string_null_escape.json': 'NUL',
};

/** Our decision where parsers may differ: null reads the file, and a text refuses it with these words. */
const decided: Record<string, string | null> = {
  // Numbers are read as everywhere in JavaScript. The parameter decides whether one fits.
  'i_number_double_huge_neg_exp.json': null,
  'i_number_huge_exp.json': null,
  'i_number_neg_int_huge_exp.json': null,
  'i_number_pos_double_huge_exp.json': null,
  'i_number_real_neg_overflow.json': null,
  'i_number_real_pos_overflow.json': null,
  'i_number_real_underflow.json': null,
  'i_number_too_big_neg_int.json': null,
  'i_number_too_big_pos_int.json': null,
  'i_number_very_big_negative_int.json': null,
  // A lone surrogate is not a character.
  'i_object_key_lone_2nd_surrogate.json': 'unpaired surrogate',
  'i_string_1st_surrogate_but_2nd_missing.json': 'unpaired surrogate',
  'i_string_1st_valid_surrogate_2nd_invalid.json': 'unpaired surrogate',
  'i_string_incomplete_surrogate_and_escape_valid.json': 'unpaired surrogate',
  'i_string_incomplete_surrogate_pair.json': 'unpaired surrogate',
  'i_string_incomplete_surrogates_escape_valid.json': 'unpaired surrogate',
  'i_string_invalid_lonely_surrogate.json': 'unpaired surrogate',
  'i_string_invalid_surrogate.json': 'unpaired surrogate',
  'i_string_inverted_surrogates_U+1D11E.json': 'unpaired surrogate',
  'i_string_lone_second_surrogate.json': 'unpaired surrogate',
  // Bytes must be UTF-8.
  'i_string_UTF-16LE_with_BOM.json': 'not valid UTF-8',
  'i_string_UTF-8_invalid_sequence.json': 'not valid UTF-8',
  'i_string_UTF8_surrogate_U+D800.json': 'not valid UTF-8',
  'i_string_invalid_utf-8.json': 'not valid UTF-8',
  'i_string_iso_latin_1.json': 'not valid UTF-8',
  'i_string_lone_utf8_continuation_byte.json': 'not valid UTF-8',
  'i_string_not_in_unicode_range.json': 'not valid UTF-8',
  'i_string_overlong_sequence_2_bytes.json': 'not valid UTF-8',
  'i_string_overlong_sequence_6_bytes.json': 'not valid UTF-8',
  'i_string_overlong_sequence_6_bytes_null.json': 'not valid UTF-8',
  'i_string_truncated-utf-8.json': 'not valid UTF-8',
  'i_string_utf16BE_no_BOM.json': 'not valid',
  'i_string_utf16LE_no_BOM.json': 'not valid',
  'i_structure_500_nested_arrays.json': '32 levels',
  'i_structure_UTF-8_BOM_empty_object.json': 'not valid JSON',
};

const files = filesOfSuite();
const accepted = ofKind('y');
const refused = ofKind('n');

let server: TestServer;
const counts = { read: 0, refused: 0, textsRoundTripped: 0 };

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.stop();
  const sent = `${files.size} files as body, value and unknown parameter`;
  process.stdout.write(
    `JSONTestSuite: ${sent}: ${counts.read} read, ${counts.refused} refused, as they must be; ${counts.textsRoundTripped} texts came back exactly\n`,
  );
});

test('has the files as they were published', () => {
  expect([accepted.length, refused.length, ofKind('i').length]).toEqual([95, 188, 35]);
  // The hash of `git ls-tree --format='%(objectname) %(path)' HEAD:test_parsing | sha1sum` at the suite's commit.
  const listing = Array.from(files, ([name, bytes]) => `${gitHashOf(bytes)} ${name}\n`).join('');
  expect(hash('sha1', listing)).toBe('a2aec3b12c58f7c1e03fdd854879cc0974c774b0');
  expect(Object.keys(decided).sort()).toEqual(ofKind('i').sort());
});

describe('file as the body', () => {
  test('refuses and logs a body that is not JSON, and writes nothing', async () => {
    const answers = await sendAll(refused, (bytes) => bytes);
    for (const [name, answer] of answers) {
      // An empty body counts as `{}`.
      const isEmpty = name === 'n_structure_no_data.json';
      expectRefused(name, answer, isEmpty ? missing('application') : refusals.bodyInvalid);
    }
  });

  test('reads a body that is JSON and refuses at most its shape', async () => {
    for (const [name, answer] of await sendAll(accepted, (bytes) => bytes)) {
      const fault = refusedOfAccepted[name];
      if (fault === undefined) expectReadAsBody(name, answer);
      else expectRefused(name, answer, { ...refusals.bodyInvalid, says: fault });
    }
  });

  test('reads or refuses an optional body as decided', async () => {
    for (const [name, answer] of await sendAll(ofKind('i'), (bytes) => bytes)) {
      const fault = decided[name];
      if (fault === null) expectReadAsBody(name, answer);
      else expectRefused(name, answer, { ...refusals.bodyInvalid, says: fault! });
    }
  });
});

describe('file as a value in a body', () => {
  test('refuses and logs a value that is not JSON, and writes nothing', async () => {
    for (const [name, answer] of await sendAll(refused, inMetadata)) expectRefused(name, answer, refusals.bodyInvalid);
  });

  test('reads a value that is JSON and returns its texts exactly', async () => {
    for (const [name, answer] of await sendAll(accepted, inMetadata, { mayBeWritten: true })) {
      const fault = refusedOfAccepted[name];
      if (fault === undefined) expectReadAsMetadata(name, answer);
      else expectRefused(name, answer, { ...refusals.bodyInvalid, says: fault });
    }
  });

  test('reads or refuses an optional value as decided', async () => {
    for (const [name, answer] of await sendAll(ofKind('i'), inMetadata, { mayBeWritten: true })) {
      const fault = decided[name];
      if (fault === null) expectReadAsMetadata(name, answer);
      else expectRefused(name, answer, { ...refusals.bodyInvalid, says: fault! });
    }
  });

  test('returns every text of the suite exactly as a value of metadata', async () => {
    const texts = accepted
      .filter((name) => refusedOfAccepted[name] === undefined)
      .flatMap((name) => {
        // The spelling in the file, with its escapes.
        const spelling = /^\s*\[?\s*("(?:[^"\\]|\\.)*")\s*\]?\s*$/s.exec(textOf(name))?.[1];
        return spelling === undefined ? [] : [{ name, spelling }];
      });
    expect(texts.length).toBeGreaterThanOrEqual(40);
    for (const { name, spelling } of texts) {
      const text = JSON.parse(spelling) as string;
      const answer = await send(Buffer.from(`{"application":"app_1","metadata":{"a":${spelling},"key":"kept"}}`));
      const metadata = text === '' ? { key: 'kept' } : { a: text, key: 'kept' };
      expect([name, answer.status, answer.body.metadata]).toEqual([name, 200, metadata]);
      expect((await server.api.get(`${path}/${answer.body.id}`)).text).toBe(answer.text);
      counts.textsRoundTripped++;
    }
  });
});

test('refuses an unknown parameter by name after it has read its JSON', async () => {
  const readable = accepted.filter((name) => refusedOfAccepted[name] === undefined);
  for (const [name, answer] of await sendAll(readable, (bytes) => inBody('no_such', bytes)))
    expectRefused(name, answer, unknown('no_such'));
});

/** Expects the parser to accept the file. The body then fails because it is not a reference. */
function expectReadAsBody(name: string, answer: ApiResponse): void {
  counts.read++;
  const value = JSON.parse(textOf(name));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    expectRefusal(answer, { ...refusals.bodyInvalid, says: 'must be a JSON object' });
  else expectRefusal(answer, missing('application'));
}

/** Expects the file's value in metadata, or a refusal if it is not an object of texts. */
function expectReadAsMetadata(name: string, answer: ApiResponse): void {
  counts.read++;
  const value = JSON.parse(textOf(name));
  if (value === null) return expect(answer.body.metadata).toEqual({});
  if (typeof value !== 'object' || Array.isArray(value)) return expectRefusal(answer, invalid('metadata'));
  const wrong = Object.entries(value).find(([key, member]) => key === '' || typeof member !== 'string');
  if (wrong) return expectRefusal(answer, invalid(`metadata[${wrong[0]}]`));
  expect([name, answer.status]).toEqual([name, 200]);
  expect(answer.body.metadata).toEqual(value);
}

function expectRefused(name: string, answer: ApiResponse, refusal: Refusal): void {
  counts.refused++;
  expect([name, answer.status]).toEqual([name, refusal.status]);
  expectRefusal(answer, refusal);
}

function inMetadata(bytes: Buffer): Buffer {
  return inBody('metadata', bytes);
}

function inBody(name: string, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"application":"app_1","${name}":`), bytes, Buffer.from('}')]);
}

/** Sends each file. Expects a log of every request, and nothing else from a refused one. */
async function sendAll(
  names: string[],
  bodyOf: (bytes: Buffer) => Buffer,
  { mayBeWritten = false } = {},
): Promise<Map<string, ApiResponse>> {
  const before = await tracesOf(server);
  const answers = new Map<string, ApiResponse>();
  await inParallel(names, 8, async (name) => void answers.set(name, await send(bodyOf(files.get(name)!))));
  const { rows } = await server.context.database.readers.query<{ id: string; status: number }>(
    'select id, status from request_logs where id = any($1) order by id',
    [Array.from(answers.values(), requestIdOf)],
  );
  const told = Array.from(answers.values(), (answer) => ({ id: requestIdOf(answer), status: answer.status }));
  expect(rows).toEqual(told.toSorted((left, right) => (left.id < right.id ? -1 : 1)));
  const written = Array.from(answers.values()).filter(({ status }) => status === 200).length;
  const after = await tracesOf(server);
  expect(after.events - before.events).toBe(written);
  if (!mayBeWritten) expect(after).toEqual(before);
  return answers;
}

function send(body: Buffer): Promise<ApiResponse> {
  return rawRequest(server, `POST ${path}`, { headers: ['Content-Type: application/json'], body });
}

function requestIdOf({ headers }: ApiResponse): string {
  return headers.get('request-id')!;
}

function ofKind(kind: 'y' | 'n' | 'i'): string[] {
  return [...files.keys()].filter((name) => name.startsWith(`${kind}_`));
}

function textOf(name: string): string {
  return files.get(name)!.toString('utf8');
}

function filesOfSuite(): Map<string, Buffer> {
  const kept = JSON.parse(
    readFileSync(new URL('data/json-test-suite/test_parsing.json', import.meta.url), 'utf8'),
  ) as Record<string, string | [text: string, times: number][]>;
  return new Map(
    Object.entries(kept).map(([name, bytes]) => {
      if (typeof bytes === 'string') return [name, Buffer.from(bytes, 'base64')];
      const repeated = bytes.map(([text, times]) => Buffer.from(text, 'base64').toString().repeat(times));
      return [name, Buffer.from(repeated.join(''))];
    }),
  );
}
