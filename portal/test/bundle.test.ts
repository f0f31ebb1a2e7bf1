import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

/* What a phone loads first. */

const dist = join(import.meta.dirname, '../dist');
const files = ['index.html', ...readdirSync(join(dist, 'assets')).map((name) => join('assets', name))]
  .filter((name) => /\.(?:html|js|css|svg)$/.test(name))
  .map((name) => readFileSync(join(dist, name)));

/** In bytes, compressed. */
const firstLoadMax = 150_000;

test('has at most 150 kB when all of it is compressed', () => {
  expect(files.length).toBeGreaterThan(3);
  expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThanOrEqual(firstLoadMax);
});

test('names no other host when it is built', () => {
  const hosts = files.flatMap((file) => file.toString().match(/https?:\/\/[\w.-]+/g) ?? []);
  // Namespaces of XML, and the addresses that the messages of React name.
  const known = /^https?:\/\/(?:www\.w3\.org|react\.dev|reactjs\.org)$/;
  expect(hosts.filter((host) => !known.test(host))).toEqual([]);
});
