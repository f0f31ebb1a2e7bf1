import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  adviceAfterGivingUp,
  adviceFor,
  adviceForOtherCodes,
  advices,
  errorText,
} from '../../src/resources/reference/advice.ts';

const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/automatic-references.md'), 'utf8');

/** The section with the table of the codes. */
const section = guide.slice(guide.indexOf('## Move a stuck check'), guide.indexOf('## Simulate every case'));

describe('the advice of last_error', () => {
  test('stands in the guide, word for word, for each code', () => {
    const rows = [...section.matchAll(/^\| (.*?) \| (.*?) \|$/gm)].map(
      ([, codes, advice]) => [codes!, advice!] as const,
    );
    const told = new Map(
      rows.flatMap(([codes, advice]) => [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code]) => [code!, advice])),
    );
    for (const [code, advice] of Object.entries(advices)) expect([code, told.get(code)]).toEqual([code, advice]);
    expect(new Map(rows).get('any other code')).toBe(adviceForOtherCodes);
    expect(guide.replace(/\s+/g, ' ')).toContain(adviceAfterGivingUp);
  });

  test('asks for no patience when the server asks no more', () => {
    for (const code of [...Object.keys(advices), 'quota_used'])
      expect(adviceFor(code, { isGivenUp: true })).not.toContain('by itself');
  });

  test('is complete when the message of a service is long', () => {
    const text = errorText({ code: 'refused', message: 'x'.repeat(2_000) }, adviceForOtherCodes);
    expect(text).toHaveLength(500);
    expect(text.endsWith(`… ${adviceForOtherCodes}`)).toBe(true);
  });
});
