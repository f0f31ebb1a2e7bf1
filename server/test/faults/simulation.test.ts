import { describe, expect, test } from 'vitest';
import type { Query } from './simulation/database.ts';
import { simulateOn, type Verdict } from './simulation/index.ts';
import type { Plant } from './simulation/world.ts';
import { createTestDatabase } from '../support/server.ts';

/** Small worlds of processes, receivers and faults; `simulation/README.md` tells what they are. */

const seeds = 50;

test(`${seeds} seeds: whatever fails and whoever crashes, what was answered is there once, and every event arrives or visibly fails`, async () => {
  const { counts, violations } = await played({ seeds });
  expect(violations).toEqual([]);
  // Worlds in which nothing happens would break no promise either.
  expect(counts).toMatchObject({ seeds });
  for (const what of [
    'crashes',
    'told answered',
    'told gone',
    'fault answer_lost',
    'fault lost_within',
    'received',
    'failed visibly',
  ])
    expect(counts[what], what).toBeGreaterThan(0);
}, 120_000);

describe('it notices', () => {
  test('a commit that is told and did not happen', async () => {
    const plant = { insteadOf: (query: Query) => (query.text === 'commit' ? { text: 'rollback' } : query) };
    expect(await rulesBroken(plant)).toContain('acknowledged_and_lost');
  });

  test('a key that is not claimed', async () => {
    expect(await rulesBroken(without('claim_keys'))).toContain('key_ran_twice');
  });

  test('events without their deliveries', async () => {
    expect(await rulesBroken(without('insert_deliveries'))).toContain('delivery_missing');
  });

  test('a change that is made on an older state of the record', async () => {
    const plant = {
      insteadOf: (query: Query) =>
        query.name === 'update_customers'
          ? {
              ...query,
              name: 'update_any',
              text: query.text.replace('and record.revision = input.expected_revision', ''),
            }
          : query,
    };
    expect(await rulesBroken(plant)).toContain('lost_update');
  });

  test('deliveries that are told as delivered and are sent to nobody', async () => {
    expect(await rulesBroken({ sendsNothing: true })).toContain('delivered_to_nobody');
  });

  test('a claim that another process does not respect', async () => {
    const plant = {
      insteadOf: (query: Query) =>
        query.name === 'claim_deliveries'
          ? { ...query, values: query.values!.with(6, Number.MAX_SAFE_INTEGER) }
          : query,
    };
    expect(await rulesBroken(plant)).toContain('sent_while_claimed');
  });
});

/** A statement that is never carried out. */
function without(name: string): Plant {
  return { insteadOf: (query) => (query.name === name ? { text: 'select' } : query) };
}

/** With 20 seeds, of which each has a part of what can happen. */
async function rulesBroken(plant: Plant): Promise<string[]> {
  const { violations } = await played({ seeds: 20, plant });
  return [...new Set(violations.map(({ rule }) => rule))];
}

async function played(options: { seeds: number; plant?: Plant }): Promise<Verdict> {
  const database = await createTestDatabase();
  try {
    return await simulateOn(database.connection, { firstSeed: 1, print: () => {}, ...options });
  } finally {
    await database.drop();
  }
}
