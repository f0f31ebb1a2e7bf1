import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importFile, statementOf, type WrittenLine } from '../support/bank.ts';
import { allOf } from '../support/paging.ts';
import { rounds } from '../support/rounds.ts';
import { good, type TestServer } from '../support/server.ts';
import { Agency, startLetting } from './agency.ts';

/*
 * A model of bank files. A bank has lines, and files are parts of them. People confirm, ignore and reopen lines in any order. The ledger
 * must have the confirmed lines, and nothing else.
 */

let server: TestServer;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

/** Money at the bank. Some is alike, and some went out. */
const anyBank = fc.array(
  fc.record({ amount: fc.constantFrom('10.00', '20.00', '-5.00'), reference: fc.constantFrom('A 1', 'B 2', '') }),
  { minLength: 1, maxLength: 8 },
);
const anyStep = fc.oneof(
  // A file has the lines of whole days.
  fc.record({
    does: fc.constant('send' as const),
    from: fc.nat(3),
    to: fc.nat(3),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    does: fc.constantFrom('confirm' as const, 'ignore' as const, 'reopen' as const),
    which: fc.nat(20),
    times: fc.integer({ min: 1, max: 3 }),
  }),
);

const statusAfter = { confirm: 'confirmed', ignore: 'ignored', reopen: 'proposed' } as const;
const movesFrom = { confirm: 'proposed', ignore: 'proposed', reopen: 'ignored' } as const;

test(
  'makes each line at most one payment, and the ledger of the confirmed lines, in any order of files and decisions',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyBank, fc.array(anyStep, { minLength: 1, maxLength: 12 }), async (bank, steps) => {
        const agency = await Agency.on(server);
        const draft = await agency.draft((await agency.unit()).id, { customers: ['tenant_1'] });
        // No money of the bank came before the signing.
        const tenancy = await agency.move('tenancies', draft.id, 'sign', { signed_on: '2027-01-01' });
        const days = Map.groupBy(bank.entries(), ([index]) => index % 3);
        const linesOn = (day: number): WrittenLine[] =>
          (days.get(day) ?? []).map(([, { amount, reference }]) => ({
            date: `2027-01-0${day + 1}`,
            amount,
            reference: `${tenancy.id} ${reference}`,
          }));
        const sent = new Set<number>();
        const states = new Map<string, string>();
        for (const step of steps) {
          if (step.does === 'send') {
            const which = [0, 1, 2].filter((day) => day >= step.from && day <= step.to);
            const lines = which.flatMap(linesOn);
            if (lines.length === 0) continue;
            await Promise.all(
              Array.from({ length: step.times }, async () => good(importFile(agency.api, statementOf(lines)))),
            );
            for (const day of which) sent.add(day);
            for (const { id } of await allOf(agency.api, '/v1/bank_lines'))
              if (!states.has(id)) states.set(id, 'proposed');
          } else {
            const id = [...states.keys()].toSorted()[step.which];
            if (id === undefined) continue;
            const answers = await Promise.all(
              Array.from({ length: step.times }, () => agency.api.post(`/v1/bank_lines/${id}/${step.does}`)),
            );
            const isPossible = states.get(id) === movesFrom[step.does];
            expect(answers.filter(({ status }) => status === 200)).toHaveLength(isPossible ? 1 : 0);
            if (isPossible) states.set(id, statusAfter[step.does]);
          }
        }
        const lines = await allOf(agency.api, '/v1/bank_lines');
        const moneyIn = [...sent].flatMap(linesOn).filter(({ amount }) => !amount!.startsWith('-'));
        expect(lines.map(({ amount }) => String(amount)).toSorted()).toEqual(
          moneyIn.map(({ amount }) => String(Number(amount) * 100)).toSorted(),
        );
        expect(new Map(lines.map(({ id, status }) => [id, status]))).toEqual(states);
        const confirmed = lines.filter(({ status }) => status === 'confirmed');
        const payments = await allOf(agency.api, '/v1/payments');
        expect(new Map(payments.map(({ id, amount, bank_line: line }) => [line, [id, amount]]))).toEqual(
          new Map(confirmed.map(({ id, payment, amount }) => [id, [payment, amount]])),
        );
        expect(payments).toHaveLength(confirmed.length);
        const owed = confirmed.reduce((sum, { amount }) => sum - Number(amount), 0);
        expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: owed === 0 ? 0 : owed });
        const ledger = await allOf(agency.api, `/v1/tenancies/${tenancy.id}/ledger`);
        expect(ledger.map(({ payment }) => String(payment)).toSorted()).toEqual(
          confirmed.map(({ payment }) => String(payment)).toSorted(),
        );
      }),
      { numRuns: rounds(12, 150) },
    );
  },
  rounds(60_000, 300_000),
);
