import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withRollUps } from '../../src/commit/roll-ups.ts';
import { decideCreate, decideUpdate } from '../../src/model/change.ts';
import { IdMaker } from '../../src/core/ids.ts';
import { pooledRandomBytes } from '../../src/core/random.ts';
import { Related } from '../../src/model/related.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import type { RecordChange } from '../../src/model/resource.ts';
import { application } from '../../src/resources/letting/application/index.ts';
import { resources } from '../../src/resources/index.ts';
import { reference } from '../../src/resources/reference/index.ts';
import { callerAt } from '../support/caller.ts';

const caller = callerAt(1);
const ids = new IdMaker({ nowMs: Date.now }, pooledRandomBytes());
/** No link of these applications leads to a record here. */
const related = new Related(
  new Map([
    ['unit', []],
    ['unit.building', []],
  ]),
);
const stored = decideCreate(application, ids.make('app'), 'acct_a', {}, caller, related).changes[0].after!;

/** What a decision changes in the application itself, besides its references. */
const ownChanges: Record<string, () => RecordChange[]> = {
  nothing: () => [],
  leaves: () => [{ resource: application, before: stored, after: stored }],
  updates: () => decideUpdate(application, stored, { unit: 'flat_12' }, caller, related).changes,
  creates: () => [{ resource: application, before: null, after: stored }],
  deletes: () => [{ resource: application, before: stored, after: null }],
};

describe('roll-ups', () => {
  test('merges the changes of a record into one when a decision changes both the parts and the sum', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(ownChanges)),
        fc.nat(3),
        fc.boolean(),
        async (own, references, isOwnFirst) => {
          const made = Array.from(
            { length: references },
            () => decideCreate(reference, ids.make('ref'), 'acct_a', { application: stored.id }, caller).changes[0],
          );
          const wanted = isOwnFirst ? [...ownChanges[own]!(), ...made] : [...made, ...ownChanges[own]!()];
          const readRecord = async (): Promise<StoredRecord | null> => (own === 'creates' ? null : stored);
          const changes = await withRollUps(
            { resources, readRecord, ids, clock: { nowMs: () => 0 } },
            'acct_a',
            wanted,
          );

          const changed = changes.map(({ before, after }) => (after ?? before).id);
          expect(new Set(changed).size).toBe(changed.length);
          const sum = changes.find(({ resource }) => resource === application);
          if (own === 'deletes') expect(sum!.after).toBeNull();
          else if (references === 0) expect(sum).toEqual(ownChanges[own]!()[0]);
          else {
            const revision = own === 'creates' ? 1 : stored.revision + 1;
            expect(sum!.after).toMatchObject({ revision, reference_counts: { pending: references } });
            expect(sum!.after).toMatchObject({ unit: own === 'updates' ? 'flat_12' : null });
          }
        },
      ),
    );
  });
});
