import { describe, expect, test } from 'vitest';
import { CrashChecker, newSeed } from './crash-checker/checker.ts';
import { Deployment } from './crash-checker/deployment.ts';
import type { Rule } from './crash-checker/judge/evidence.ts';
import { EmbeddedStage } from './crash-checker/stages/embedded.ts';
import { serverUnderTest, shortLease } from './crash-checker/stages/stage.ts';
import { plantedFaults, type PlantedFault } from './planted.ts';

/** The judge must find each fault by one of these rules, as in docs/faults.md. It may find more. */
const expected: Record<PlantedFault, Rule[]> = {
  'answers before it is durable': ['lost_record', 'lost_update', 'two_effects', 'wrong_replay'],
  'forgets its keys at a start': ['two_effects', 'wrong_replay', 'duplicated_record'],
  'loses deliveries under load': ['event_not_delivered'],
  'forgets that it has delivered': ['duplicate_without_reason'],
};

/** Each fault is found much sooner. This bounds a run that finds nothing. */
const roundsMax = 6;

describe('judge of planted faults', () => {
  test.each(Object.keys(plantedFaults) as PlantedFault[])(
    'finds within a few kills a server that %s',
    async (planted) => {
      const seed = newSeed();
      // Data that PostgreSQL has not written yet is lost only if PostgreSQL dies.
      const dies = planted === 'answers before it is durable' ? 'both' : 'server';
      const weights = { server: 0, database: 0, both: 0, [dies]: 1 };
      const settings = { TEST_PLANTED_FAULT: planted, TEST_DISPATCHER_LIMITS: JSON.stringify(shortLease) };
      const deployment = await Deployment.create({ settings, program: serverUnderTest });
      const stage = await EmbeddedStage.create(weights, deployment);
      const checker = new CrashChecker(stage, { seed, clients: 16 });
      try {
        await stage.start();
        const rules = new Set<Rule>();
        for (let round = 1; round <= roundsMax && rules.size === 0; round++) {
          for (const { rule } of (await checker.playRound()).violations) rules.add(rule);
        }
        if (rules.size === 0) for (const { rule } of (await checker.finish()).violations) rules.add(rule);
        process.stdout.write(`${planted} (seed ${seed}): ${[...rules].join(', ')}\n`);
        expect([...rules].some((rule) => expected[planted].includes(rule))).toBe(true);
      } finally {
        await checker.close();
      }
    },
  );
});
