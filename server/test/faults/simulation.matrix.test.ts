import { describe, expect, test } from 'vitest';
import type { Query } from './simulation/database.ts';
import { simulateOn, type Verdict } from './simulation/index.ts';
import type { Plant } from './simulation/world.ts';
import { createTestDatabase } from '../support/server.ts';

/** Small worlds of processes, receivers and faults. `simulation/README.md` describes them. */

const seeds = 50;

test(`keeps every confirmed request once and delivers or visibly fails every event in ${seeds} seeds of faults and crashes`, async () => {
  const { counts, violations } = await played({ seeds });
  expect(violations).toEqual([]);
  // Worlds in which nothing happens would break no promise either.
  expect(counts).toMatchObject({ seeds });
  for (const what of [
    'crashes',
    'outcome answered',
    'outcome gone',
    'fault answer_lost',
    'fault lost_within',
    'received',
    'failed visibly',
  ])
    expect(counts[what], what).toBeGreaterThan(0);
});

describe('planted faults', () => {
  test('reports a commit that is confirmed and did not happen', async () => {
    const plant = { insteadOf: (query: Query) => (query.text === 'commit' ? { text: 'rollback' } : query) };
    await expectFound('acknowledged_and_lost', plant);
  });

  test('reports a key that is not claimed', async () => {
    await expectFound('key_ran_twice', without('claim_keys'));
  });

  test('reports events without their deliveries', async () => {
    await expectFound('delivery_missing', without('insert_deliveries', 'insert_claimed_deliveries'));
  });

  test('reports a change that is made on an older state of the record', async () => {
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
    await expectFound('lost_update', plant);
  });

  test('reports deliveries that are shown as delivered and never sent', async () => {
    await expectFound('delivered_to_nobody', { sendsNothing: true });
  });

  test('reports a claim that another process does not respect', async () => {
    const plant = {
      insteadOf: (query: Query) =>
        query.name === 'claim_deliveries' || query.name === 'claim_deliveries_in_turns'
          ? { ...query, values: query.values!.with(6, Number.MAX_SAFE_INTEGER) }
          : query,
    };
    await expectFound('sent_while_claimed', plant);
  });
});

/** Drops statements. */
function without(...names: string[]): Plant {
  return { insteadOf: (query) => (names.includes(query.name ?? '') ? { text: 'select' } : query) };
}

/** Expects a finding within some worlds. Each world has a part of the possible faults, and some findings depend on timing. */
async function expectFound(rule: string, plant: Plant): Promise<void> {
  const found = new Set<string>();
  for (let firstSeed = 1; firstSeed <= 400 && !found.has(rule); firstSeed += 20) {
    const { violations } = await played({ firstSeed, seeds: 20, plant });
    for (const violation of violations) found.add(violation.rule);
  }
  expect([...found]).toContain(rule);
}

async function played(options: { firstSeed?: number; seeds: number; plant?: Plant }): Promise<Verdict> {
  const database = await createTestDatabase();
  try {
    return await simulateOn(database.connection, { firstSeed: 1, print: () => {}, ...options });
  } finally {
    await database.drop();
  }
}
