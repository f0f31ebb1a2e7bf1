import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/core/errors.ts';
import { withClient } from '../../src/db/pools.ts';
import type { ReferenceRecord } from '../../src/resources/reference/record.ts';
import { reference as referenceKind } from '../../src/resources/reference/index.ts';
import { Status } from '../../src/resources/reference/shape.ts';
import { cancel, update, type ReferenceUpdate } from '../../src/resources/reference/transitions.ts';
import { callerAt } from '../support/caller.ts';
import { createTestDatabase } from '../support/server.ts';
import { rounds } from '../support/rounds.ts';

/** A client's request about a reference, with its time. */
type Request = { at: number } & ({ kind: 'cancel' } | { kind: 'update'; input: ReferenceUpdate });

const anyOutcome = fc.constantFrom('accept', 'consider', 'high_risk');
const anyUpdate = fc
  .record(
    {
      outcome: anyOutcome,
      reason: fc.constantFrom('Good references.', 'A guarantor stands by.'),
      reference_pdf: fc.constantFrom('file_1', 'file_2'),
      status: fc.constant('processing' as const),
    },
    { requiredKeys: [] },
  )
  // A reason needs an outcome.
  .map(({ reason, ...rest }) =>
    rest.outcome === undefined || reason === undefined ? rest : { ...rest, reason },
  ) satisfies fc.Arbitrary<ReferenceUpdate>;
const requestsByKind: Record<Request['kind'], { weight: number; arbitrary: fc.Arbitrary<Request> }> = {
  cancel: { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), at: fc.nat(1_000) }) },
  update: {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('update'), at: fc.nat(1_000), input: anyUpdate }),
  },
};
const anyRequest = fc.oneof(...Object.values(requestsByKind));

/** Whether the account or a provider handles the reference. */
const anyHandling = fc.constantFrom(null, automaticReference(false), automaticReference(true));

/** Every possible state of a reference: as it was created, or as a client or a provider has left it. */
const anyFound: fc.Arbitrary<ReferenceRecord> = fc
  .record({ automatic: anyHandling, noted: fc.option(anyOutcome), pdf: fc.option(fc.constant('file_0')) })
  .chain(({ automatic, noted, pdf }) => {
    const created = reference({ automatic_reference: automatic, reference_pdf: pdf });
    return fc.constantFrom<ReferenceRecord>(
      created,
      { ...created, status: 'processing', outcome: noted },
      { ...created, status: 'complete', outcome: noted ?? 'accept', completed_at: 500 },
      { ...created, status: 'canceled', outcome: noted },
    );
  });

const manyRequests = fc.array(anyRequest, { maxLength: 12 });

const runs = { numRuns: rounds(200, 3_000) };

/** The transitions of a reference, each as a request plays it. The state table below predicts every one. */
const transitions = {
  update: (before: ReferenceRecord, request: Request) =>
    update(before, 'input' in request ? request.input : {}, callerAt(request.at)),
  cancel: (before: ReferenceRecord, request: Request) => cancel(before, callerAt(request.at)),
} satisfies Record<Request['kind'], unknown>;

test('plays every transition that clients can request, and draws every status and action', () => {
  const actions = Object.keys(referenceKind.actions ?? {});
  // A retry moves no status. Tests with a service play it.
  const moves = actions.filter((name) => name !== 'retry');
  expect(Object.keys(transitions).sort()).toEqual(['update', ...moves].sort());
  const { enum: statuses } = Status as unknown as { enum: string[] };
  const source = readFileSync(join(import.meta.dirname, '../../src/resources/reference/transitions.ts'), 'utf8');
  const drawing = /\/\*\n[\s\S]*?─[\s\S]*?\*\//.exec(source)![0];
  const undrawn = [...statuses, ...actions].filter((name) => !new RegExp(`\\b${name}\\b`).test(drawing));
  expect(undrawn).toEqual([]);
});

describe('requests in any order from any state', () => {
  test('answers each request as the state table says', () => {
    fc.assert(
      fc.property(anyFound, manyRequests, (start, requests) => {
        for (const { before, request, after } of walk(start, requests)) {
          expect(after).toStrictEqual(byTheTable(before, request));
        }
      }),
      runs,
    );
  });

  test("keeps the database's rules when a reference reaches any state", async () => {
    const reached = new Map<string, ReferenceRecord>();
    fc.assert(
      fc.property(anyFound, manyRequests, (start, requests) => {
        for (const record of [start, ...walk(start, requests).flatMap(({ after }) => after ?? [])]) {
          const complete = record.status === 'complete';
          expect(record.completed_at !== null).toBe(complete);
          if (complete) expect(record.outcome).not.toBeNull();
          if (record.status === 'pending') expect(record.outcome).toBeNull();
          reached.set([record.status, record.outcome, record.completed_at !== null].join(' '), record);
        }
      }),
      runs,
    );
    // One record of each kind that was reached, checked by the database itself.
    expect(reached.size).toBe(1 + 4 + 3 + 4);
    expect(await refusedByDatabase([...reached.values()])).toEqual([]);
  });

  test('refuses in the database what the state table refuses', async () => {
    const base = reference({});
    const broken: ReferenceRecord[] = [
      { ...base, outcome: 'accept' },
      { ...base, completed_at: 1 },
      { ...base, status: 'processing', completed_at: 1 },
      { ...base, status: 'complete', outcome: 'accept' },
      { ...base, status: 'complete', completed_at: 1 },
      { ...base, status: 'canceled', completed_at: 1 },
      { ...base, status: 'done' as 'complete' },
      { ...base, outcome: 'pass' as 'accept' },
      { ...base, application: null },
    ];
    expect(await refusedByDatabase(broken)).toEqual(broken);
  });

  test('sets the completion time once, by the request that completes the reference', () => {
    fc.assert(
      fc.property(anyFound, manyRequests, (start, requests) => {
        for (const { before, request, after, verbs } of walk(start, requests)) {
          if (!after) continue;
          if (before.completed_at !== null) expect(after.completed_at).toBe(before.completed_at);
          const completes = before.status !== 'complete' && after.status === 'complete';
          expect(verbs?.[0] === 'completed').toBe(completes);
          if (completes) expect(after.completed_at).toBe(request.at);
        }
      }),
      runs,
    );
  });

  test('keeps complete and canceled references in their status, and canceled ones unchanged', () => {
    fc.assert(
      fc.property(anyFound, manyRequests, (start, requests) => {
        for (const { before, after, verbs } of walk(start, requests)) {
          if (!after) continue;
          if (before.status === 'canceled') expect(after).toStrictEqual(before);
          if (before.status === 'complete') expect(after.status).toBe('complete');
          if (after.status === 'pending') expect(before.status).toBe('pending');
          expect(verbs?.[0] === 'canceled').toBe(before.status !== 'canceled' && after.status === 'canceled');
        }
      }),
      runs,
    );
  });

  test('changes no other member of the reference, and not its input', () => {
    fc.assert(
      fc.property(anyFound, manyRequests, (start, requests) => {
        const asFound = structuredClone(start);
        const { application, automatic_reference, created, customer, id, type } = start;
        for (const { after } of walk(start, requests)) {
          if (after) expect(after).toMatchObject({ application, automatic_reference, created, customer, id, type });
        }
        expect(start).toStrictEqual(asFound);
      }),
      runs,
    );
  });
});

interface Step {
  before: ReferenceRecord;
  request: Request;
  /** Null if the request was refused. */
  after: ReferenceRecord | null;
  verbs: readonly string[] | undefined;
}

/** Executes the requests in turn, as the server would. */
function walk(start: ReferenceRecord, requests: Request[]): Step[] {
  let current = start;
  return requests.map((request): Step => {
    const before = current;
    try {
      const { after, verbs } = transitions[request.kind](before, request);
      current = after;
      return { before, request, after, verbs };
    } catch (error) {
      // Any other error is a fault and not a response.
      if (!(error instanceof ApiError)) throw error;
      expect(error.code).toBe('status_transition_invalid');
      return { before, request, after: null, verbs: undefined };
    }
  });
}

/** The state table, written a second time. Returns the record after a request, or null if the table says 400. */
function byTheTable(before: ReferenceRecord, request: Request): ReferenceRecord | null {
  const { status } = before;
  if (request.kind === 'cancel') {
    return status === 'pending' || status === 'processing' ? { ...before, status: 'canceled' } : null;
  }
  const { input } = request;
  if (Object.keys(input).length === 0) return before;
  if (status === 'canceled') return null;
  const after: ReferenceRecord = { ...before, ...replacedPdf(before, input.reference_pdf) };
  if (input.status) {
    const offPlatform = before.automatic_reference === null || !before.automatic_reference.enabled;
    if (!offPlatform || status === 'complete') return null;
    const decision = input.outcome ? decisionBy(before, request.at, input) : before.decision;
    return { ...after, status: 'processing', outcome: input.outcome ?? before.outcome, decision };
  }
  if (!input.outcome) return after;
  const { decision } = before;
  const isSaidAgain =
    status === 'complete' &&
    decision?.outcome === input.outcome &&
    [undefined, decision.reason].includes(input.reason ?? undefined);
  if (isSaidAgain) return after;
  const decided = decisionBy(before, request.at, input);
  return {
    ...after,
    status: 'complete',
    outcome: input.outcome,
    decision: decided,
    completed_at: before.completed_at ?? request.at,
    // The file of the account's own is the report.
    report_order: input.reference_pdf ? before.report_order : orderedReport(before, request.at, decided),
  };
}

/** The report that a request replaces stays in the list. */
function replacedPdf(
  { reference_pdf: replaced, earlier_reports: earlier }: ReferenceRecord,
  pdf: string | undefined,
): Partial<ReferenceRecord> {
  if (pdf === undefined || pdf === replaced) return {};
  const others = earlier.filter((id) => id !== pdf && id !== replaced);
  return { reference_pdf: pdf, earlier_reports: replaced === null ? others : [...others, replaced] };
}

type Decision = NonNullable<ReferenceRecord['decision']>;

/** A decision without a reason keeps that of the same outcome, which did not end the reference yet. */
function decisionBy(
  { decision: last }: ReferenceRecord,
  at: number,
  { outcome, reason }: Pick<ReferenceUpdate, 'outcome' | 'reason'>,
): Decision {
  const known = last?.outcome === outcome ? last?.reason : null;
  return {
    outcome: outcome!,
    reason: reason ?? known ?? null,
    decided_by: { type: 'api_key', id: callerAt(at).actorId, name: null, role: null },
    decided_at: at,
  };
}

/** Each decision waits for a report of its own. */
function orderedReport(
  { report_order: order, reference_pdf: pdf, automatic_reference: automatic }: ReferenceRecord,
  at: number,
  decision: Decision,
): ReferenceRecord['report_order'] {
  return {
    due_at_ms: at * 1000,
    failures: 0,
    issued: order?.issued ?? (automatic?.enabled && pdf !== null ? 1 : 0),
    waiting: [...(order?.waiting ?? []), decision],
  };
}

/** Returns the records that the real table refuses. */
async function refusedByDatabase(records: ReferenceRecord[]): Promise<ReferenceRecord[]> {
  const database = await createTestDatabase();
  try {
    return await withClient(database.connection, async (client) => {
      const refused: ReferenceRecord[] = [];
      for (const [index, record] of records.entries()) {
        const { application, completed_at, outcome, status, type } = record;
        const inserted = client.query(
          `
          insert into tenant_references
            (account_id, id, created, revision, application, completed_at, outcome, status, type, metadata)
          values ('acct_1', $1, 1, 1, $2, $3, $4, $5, $6, '{}')`,
          [`ref_${index}`, application, completed_at, outcome, status, type],
        );
        await inserted.catch((error: { code?: string }) => {
          // 23514: a CHECK constraint refuses the row.
          expect(error.code).toBe('23514');
          refused.push(record);
        });
      }
      return refused;
    });
  } finally {
    await database.drop();
  }
}

function reference(fields: Partial<ReferenceRecord>): ReferenceRecord {
  return {
    id: 'ref_1',
    account_id: 'acct_1',
    created: 1,
    revision: 1,
    application: 'app_1',
    automatic_reference: null,
    provider_order: null,
    earlier_orders: null,
    completed_at: null,
    customer: null,
    outcome: null,
    decision: null,
    reference_pdf: null,
    earlier_reports: [],
    report_order: null,
    status: 'pending',
    type: 'customer',
    metadata: {},
    ...fields,
  };
}

function automaticReference(enabled: boolean): NonNullable<ReferenceRecord['automatic_reference']> {
  return { enabled, last_error: null, outcome: null, provider: 'provider_a', status: null, provider_data: null };
}
