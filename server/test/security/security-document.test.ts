import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** The OWASP API Security Top 10, edition of 2023. */
const risks = [
  'API1:2023 Broken object level authorization',
  'API2:2023 Broken authentication',
  'API3:2023 Broken object property level authorization',
  'API4:2023 Unrestricted resource consumption',
  'API5:2023 Broken function level authorization',
  'API6:2023 Unrestricted access to sensitive business flows',
  'API7:2023 Server side request forgery',
  'API8:2023 Security misconfiguration',
  'API9:2023 Improper inventory management',
  'API10:2023 Unsafe consumption of APIs',
];

const projectFolder = new URL('../../../', import.meta.url);
const text = readFileSync(new URL('SECURITY.md', projectFolder), 'utf8');

/** The text below each heading, up to the next heading. */
const sections = new Map(
  text
    .split(/^#{2,3} /m)
    .slice(1)
    .map((section): [string, string] => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end)];
    }),
);

describe('SECURITY.md', () => {
  test('covers all ten risks, in their order', () => {
    expect(Array.from(sections.keys()).filter((title) => title.startsWith('API'))).toEqual(risks);
  });

  test.each(risks)('states its limits and names tests for %s', (risk) => {
    const section = sections.get(risk)!;
    expect(section).toMatch(/^Where it ends: /m);
    expect(testsIn(section).length).toBeGreaterThanOrEqual(3);
  });

  test('names only tests that exist, by file and name', () => {
    const named = testsIn(text);
    expect(named.length).toBeGreaterThanOrEqual(45);
    expect(named.filter((one) => !isThere(one))).toEqual([]);
    expect(isThere({ file: named[0]!.file, name: 'that was never written' })).toBe(false);
  });

  test('names only files that exist in its collections', () => {
    const files = Array.from(text.matchAll(/\(`([\w./-]+\.ts)`\)/g), ([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(5);
    expect(files.filter((file) => !existsSync(new URL(`server/test/${file}`, projectFolder)))).toEqual([]);
  });
});

interface NamedTest {
  file: string;
  name: string;
}

function testsIn(section: string): NamedTest[] {
  return Array.from(section.matchAll(/^\| `(server\/test\/[^`]+\.test\.ts)` \| (.+) \|$/gm), ([, file, name]) => ({
    file: file!,
    name: name!,
  }));
}

function isThere({ file, name }: NamedTest): boolean {
  const place = new URL(file, projectFolder);
  if (!existsSync(place)) return false;
  const source = readFileSync(place, 'utf8');
  return [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => source.includes(quoted));
}
