import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { startEmbeddedDatabase } from '../../src/embedded-postgres/index.ts';
import { CrashChecker, newSeed } from './crash-checker/checker.ts';
import type { Deployment } from './crash-checker/deployment.ts';
import { History } from './crash-checker/history.ts';
import { textOf, type JsonObject } from './crash-checker/json.ts';
import { Random } from './crash-checker/random.ts';
import { EmbeddedStage } from './crash-checker/stages/embedded.ts';
import { FailpointStage } from './crash-checker/stages/failpoints.ts';
import type { Scene, Trouble } from './crash-checker/stages/stage.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));
const seed = newSeed();

const isUpdate = ({ type }: JsonObject): boolean => type === 'reference.updated';

describe('crash checker on a damaged database', () => {
  let checker: CrashChecker;
  let deployment: Deployment;

  beforeEach(async () => {
    const stage = await EmbeddedStage.create({ server: 1, database: 0, both: 0 });
    deployment = stage.servers[0]!;
    checker = new CrashChecker(stage, { seed, clients: 4 });
    await stage.start();
    await checker.playRound();
  });
  afterEach(() => checker.close());

  test('reports exactly the missing record when a reference is removed', async () => {
    const { observation, violations } = await checker.inspect();
    expect(violations).toEqual([]);
    const id = textOf(observation.references.items[3], 'id');
    await remove('tenant_references', id);
    expect(await findings()).toEqual([`lost_record ${id}`, 'wrong_count /v1/references']);
  });

  test('reports exactly the missing event when an event of an update is removed', async () => {
    let { observation, violations } = await checker.inspect();
    // The processes are killed at random, so that a round on a busy machine may have no update.
    while (!observation.events.items.some(isUpdate)) {
      await checker.playRound();
      ({ observation, violations } = await checker.inspect());
    }
    expect(violations).toEqual([]);
    const event = observation.events.items.find(isUpdate)!;
    await remove('events', textOf(event, 'id'));
    // Both receivers have got the event, and the API no longer shows it.
    expect(await findings()).toEqual([
      ...observation.deliveries
        .map(({ items }) => `delivery_without_event ${aboutOf(deliveryOf(event, items)!)}`)
        .sort(),
      `lost_event ${textOf(event, 'data', 'object', 'id')}`,
      'wrong_count /v1/events',
    ]);
  });

  test('reports exactly the missing delivery when it and its attempt are removed', async () => {
    const delivery = await removeAttempt();
    await remove('webhook_deliveries', textOf(delivery, 'id'));
    expect(await findings()).toEqual([`event_not_delivered ${aboutOf(delivery)}`]);
  });

  test('reports exactly the missing attempt when it is removed', async () => {
    const delivery = await removeAttempt();
    expect(await findings()).toEqual([`event_not_delivered ${aboutOf(delivery)}`]);
  });

  /** Removes the only attempt of a delivery. The delivery is then neither in the queue nor delivered. */
  async function removeAttempt(): Promise<JsonObject> {
    const delivered = (await deliveries()).find(
      ({ status, attempt_count: count }) => status === 'delivered' && count === 1,
    )!;
    await remove('webhook_attempts', textOf(delivered, 'id'));
    return delivered;
  }

  async function deliveries(): Promise<JsonObject[]> {
    const { observation, violations } = await checker.inspect();
    expect(violations).toEqual([]);
    return observation.deliveries.flatMap(({ items }) => items);
  }

  /** Removes rows directly in the database while the server is stopped. */
  async function remove(table: keyof typeof idColumns, id: string): Promise<void> {
    await deployment.stop();
    const database = await startEmbeddedDatabase({ dataDir: deployment.dataDir, projectDir });
    try {
      const { rowCount } = await withClient(database.connection, (client) =>
        client.query(`delete from ${table} where ${idColumns[table]} = $1`, [id]),
      );
      expect(rowCount).toBe(1);
    } finally {
      await database.stop();
    }
    await deployment.start();
  }

  async function findings(): Promise<string[]> {
    const { violations } = await checker.inspect();
    return violations.map(({ rule, about }) => `${rule} ${about}`).sort();
  }
});

test('reports a server that ends before its failpoint for another reason', async () => {
  const stage = await FailpointStage.create();
  onTestFinished(() => stage.close({ keepFiles: false }));
  await stage.start();
  const random = new Random('failpoints');
  // No failpoint of a delivery is reached without a receiver.
  let trouble: Trouble;
  do trouble = stage.next(random);
  while (!trouble.description.includes('after reply'));
  const struck = trouble.strike({ history: new History() } as Scene);
  await Promise.all([expect(struck).rejects.toThrow('and this run did not kill it'), stage.servers[0]!.stop()]);
});

const idColumns = {
  tenant_references: 'id',
  events: 'id',
  webhook_deliveries: 'id',
  webhook_attempts: 'delivery_id',
} as const;

function deliveryOf(event: JsonObject, deliveries: readonly JsonObject[]): JsonObject | undefined {
  return deliveries.find((delivery) => delivery.event === event.id);
}

function aboutOf(delivery: JsonObject): string {
  return `${textOf(delivery, 'event')} to ${textOf(delivery, 'webhook_endpoint')}`;
}
