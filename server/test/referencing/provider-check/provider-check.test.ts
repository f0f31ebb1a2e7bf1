import { describe, expect, test } from 'vitest';
import { linesOf, rules } from '../../../src/referencing/provider-check/index.ts';
import { runProgram } from '../../support/backups.ts';
import { serviceInRealTime } from '../../support/services.ts';
import { judged } from './kit.ts';

/* The kit that checks referencing services, against the simulated service. */

describe('the check of a referencing service', () => {
  test('keeps every rule when the simulated service is checked', async () => {
    const judgements = await judged(await serviceInRealTime('provider_a'));
    expect(judgements.flatMap((each) => (each.result === 'pass' ? [] : linesOf(each)))).toEqual([]);
    expect(judgements.map(({ rule }) => rule.name)).toEqual(rules.map(({ name }) => name));
  });

  test('judges nothing but the first rule when the service cannot be reached', async () => {
    const [first, ...others] = await judged('http://127.0.0.1:9');
    expect(linesOf(first!)).toEqual([
      expect.stringMatching(/^FAIL {2}order\.accepted +takes an order/),
      '      found: unavailable: The service cannot be reached.',
      expect.stringMatching(/^ {6}do: Answer POST/),
    ]);
    expect(new Set(others.map(({ result }) => result))).toEqual(new Set(['skip']));
  });
});

describe('npm run provider-check', () => {
  test('prints a line for each rule and ends with 0 when the service keeps all', async () => {
    const url = await serviceInRealTime('provider_a');
    const { code, output } = await runProgram('provider-check', [`${url}/`, '--token', 'a-token', '--wait', '30']);
    const lines = output.trimEnd().split('\n');
    expect({ code, last: lines.at(-1) }).toEqual({
      code: 0,
      last: `${rules.length} rules kept, 0 broken, 0 not judged.`,
    });
    expect(lines.slice(0, -2).map((line) => line.split(/ +/).slice(0, 2))).toEqual(
      rules.map(({ name }) => ['pass', name]),
    );
  });

  test('says what to do and ends with 1 when the service breaks a rule', async () => {
    const { code, output } = await runProgram('provider-check', ['http://127.0.0.1:9']);
    expect(code).toBe(1);
    expect(output).toMatch(/^FAIL {2}order\.accepted .*\n {6}found: unavailable: .*\n {6}do: Answer POST/);
    // The other rules need the first one.
    const lines = output.trimEnd().split('\n');
    expect(lines.slice(3)).toEqual(['', `0 rules kept, 1 broken, ${rules.length - 1} not judged.`]);
  });
});
