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

/** The requirements of the levels 1 and 2 in chapters of the OWASP ASVS 5.0. Of V10, those of a client. */
const asvs: Record<string, string> = {
  'V3 Web frontend':
    '3.2.1 3.2.2 3.3.1 3.3.2 3.3.3 3.3.4 3.4.1 3.4.2 3.4.3 3.4.4 3.4.5 3.4.6 3.5.1 3.5.2 3.5.3 3.5.4 3.5.5 3.7.1 3.7.2',
  'V6 Authentication':
    '6.1.1 6.1.2 6.1.3 6.2.1 6.2.2 6.2.3 6.2.4 6.2.5 6.2.6 6.2.7 6.2.8 6.2.9 6.2.10 6.2.11 6.2.12 6.3.1 6.3.2 6.3.3 6.3.4 6.4.1 6.4.2 6.4.3 6.4.4 6.5.1 6.5.2 6.5.3 6.5.4 6.5.5 6.6.1 6.6.2 6.6.3 6.8.1 6.8.2 6.8.3 6.8.4',
  'V7 Session management':
    '7.1.1 7.1.2 7.1.3 7.2.1 7.2.2 7.2.3 7.2.4 7.3.1 7.3.2 7.4.1 7.4.2 7.4.3 7.4.4 7.4.5 7.5.1 7.5.2 7.6.1 7.6.2',
  'V10 OAuth and OIDC': '10.1.1 10.1.2 10.2.1 10.2.2 10.5.1 10.5.2 10.5.3 10.5.4 10.5.5',
};

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

  test.each(Object.keys(asvs))('answers each requirement by a test or a reason in %s', (chapter) => {
    const rows = Array.from(sections.get(chapter)!.matchAll(/^\| (\d+\.\d+\.\d+) \| [12] \| (.+) \| (.+) \|$/gm));
    expect(rows.map(([, number]) => number).join(' ')).toBe(asvs[chapter]);
    for (const [row, , answer, proof = ''] of rows) {
      const [, file, name] = /^`([^`]+)`: (.+)$/.exec(proof) ?? [];
      if (file) expect(isThere({ file: `server/test/${file}`, name: name! }), row).toBe(true);
      else expect(`${answer} ${proof}`, row).toMatch(/Not met: |No test: /);
    }
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
