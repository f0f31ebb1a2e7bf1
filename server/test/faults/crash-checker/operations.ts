import { errorCodeOf, isStored, type Answered, type Operation } from './history.ts';
import { parseObject, textOf, type JsonObject } from './json.ts';
import type { Random } from './random.ts';

/** What a client sends next. */
export type Plan =
  /** A new operation. Two copies are sent at the same moment. */
  | { kind: 'new'; operation: Wish; copies: 1 | 2 }
  /** An earlier operation once more, byte for byte. */
  | { kind: 'repeat'; operation: Operation };

export type Wish = Pick<Operation, 'kind' | 'method' | 'path' | 'body'> & { key: string | null };

interface KnownReference {
  id: string;
  status: string;
  /** Whether the client has attached a file. Then the server issues no report. */
  hasFile: boolean;
}

/** A client forgets older operations. A crash endangers the latest. */
const rememberedMax = 300;

/** What one client knows: the references it made, and its operations that can be repeated. */
export class ClientMemory {
  readonly references: KnownReference[] = [];
  readonly customerIds: string[] = [];
  readonly repeatable: Operation[] = [];

  /** Learns from a response. */
  note(operation: Operation, answer: Answered): void {
    const repeatable = operation.key !== null && operation.kind !== 'misuse_key' && isStored(answer);
    if (repeatable && !this.repeatable.includes(operation)) remember(this.repeatable, operation);
    const object = answer.status === 200 ? parseObject(answer.text) : null;
    if (!object) return;
    const id = textOf(object, 'id');
    const status = textOf(object, 'status');
    const known = this.references.find((reference) => reference.id === id);
    const hasFile = textOf(object, 'reference_pdf') !== '';
    if (known) Object.assign(known, { status, hasFile });
    else if (operation.kind === 'create_reference') remember(this.references, { id, status, hasFile });
    else if (operation.kind === 'create_customer') remember(this.customerIds, id);
  }
}

/** Chooses what a client sends next, from the random numbers and the client's knowledge alone. */
export function chooseNext(
  random: Random,
  id: string,
  memory: ClientMemory,
  { sharedIds, marksEveryChange }: { sharedIds: readonly string[]; marksEveryChange: boolean },
): Plan {
  const update = (referenceId: string, hasFile = false): Wish =>
    updateOf(id, referenceId, random, { isMarked: marksEveryChange, hasFile });
  const choice = random.weighted({
    create: 24,
    createCustomer: 6,
    updateOwn: 18,
    updateShared: 18,
    cancel: 5,
    disturbEnded: 6,
    updateMissing: 3,
    retrieve: 6,
    repeat: 9,
    misuse: 4,
  });
  const own = random.pick(memory.references.slice(-20));
  const earlier = random.pick(memory.repeatable);
  switch (choice) {
    case 'createCustomer':
      return wish(random, createCustomer(id, random));
    case 'updateOwn':
      if (own) return wish(random, update(own.id, own.hasFile));
      break;
    case 'updateShared':
      return wish(random, update(random.pick(sharedIds)!));
    case 'cancel':
      if (own) return wish(random, cancel(id, own.id, random));
      break;
    case 'disturbEnded': {
      const ended = random.pick(
        memory.references.filter(({ status }) => status === 'complete' || status === 'canceled'),
      );
      if (ended)
        return wish(random, random.chance(0.4) ? cancel(id, ended.id, random) : update(ended.id, ended.hasFile));
      break;
    }
    case 'updateMissing':
      return wish(random, { ...update(`ref_missing${random.between(1, 9)}`), kind: 'update_missing' });
    case 'retrieve': {
      const path = `/v1/references/${own && random.chance(0.5) ? own.id : random.pick(sharedIds)!}`;
      return {
        kind: 'new',
        operation: { kind: 'retrieve_reference', method: 'GET', path, body: null, key: null },
        copies: 1,
      };
    }
    case 'repeat':
      if (earlier) return { kind: 'repeat', operation: earlier };
      break;
    case 'misuse':
      // A cancel has no body to change.
      if (earlier && earlier.kind !== 'cancel_reference') return misuse(id, earlier, random);
      break;
    case 'create':
      break;
  }
  return wish(random, createReference(id, random, memory.customerIds));
}

/** Returns a wish for a reference that several clients will change at the same time. */
export function createShared(id: string): Wish {
  const body = { application: 'app_shared', metadata: { made_by: id } };
  return { kind: 'create_reference', method: 'POST', path: '/v1/references', body, key: keyOf(id) };
}

/** Gives most operations a key, as clients should. Sends some of those twice at once. */
function wish(random: Random, operation: Wish): Plan {
  return { kind: 'new', operation, copies: operation.key !== null && random.chance(0.1) ? 2 : 1 };
}

function createReference(id: string, random: Random, customerIds: string[]): Wish {
  const customer = random.chance(0.5) ? random.pick(customerIds) : undefined;
  const automatic = random.chance(0.3) ? automaticReference(random) : undefined;
  const body: JsonObject = {
    application: `app_${random.between(1, 99)}`,
    metadata: { made_by: id, note: `round ${id} – ${'ö'.repeat(random.between(0, 20))}` },
    ...(customer !== undefined && { customer }),
    ...(automatic !== undefined && { automatic_reference: automatic }),
  };
  return { kind: 'create_reference', method: 'POST', path: '/v1/references', body, key: keyOrNot(id, random) };
}

/**
 * Returns an automatic reference that no service processes, because that would continue while the checker reads. `test/referencing` kills
 * services.
 */
function automaticReference(random: Random): JsonObject {
  return random.pick<JsonObject>([{ enabled: false }, { enabled: false, provider: 'provider_b' }])!;
}

function createCustomer(id: string, random: Random): Wish {
  const body = { name: `Person ${random.between(1, 9_999)}`, metadata: { made_by: id } };
  return { kind: 'create_customer', method: 'POST', path: '/v1/customers', body, key: keyOrNot(id, random) };
}

/**
 * Returns a change of a reference. An outcome comes with a file, unless the reference has one. Otherwise the server would issue a report
 * while the checker reads. The tests of references kill servers that issue reports.
 */
function updateOf(
  id: string,
  referenceId: string,
  random: Random,
  { isMarked, hasFile }: { isMarked: boolean; hasFile: boolean },
): Wish {
  const key = keyOrNot(id, random);
  const body: JsonObject = {};
  const aspect = random.weighted({
    metadata: 40,
    outcome: 12,
    processing: 16,
    outcomeAndProcessing: 6,
    pdf: 16,
    pdfAndOutcome: 4,
  });
  if (aspect === 'outcome' || aspect === 'outcomeAndProcessing' || aspect === 'pdfAndOutcome') {
    body.outcome = random.pick(['accept', 'consider', 'high_risk'])!;
  }
  if (aspect === 'processing' || aspect === 'outcomeAndProcessing') body.status = 'processing';
  const needsFile = aspect === 'outcome' && !hasFile;
  if (needsFile || aspect === 'pdf' || aspect === 'pdfAndOutcome') body.reference_pdf = `file_${random.between(1, 3)}`;
  const metadata: JsonObject = {};
  // '' removes the member, so that lost and doubled removals show as well as lost and doubled additions.
  if (aspect === 'metadata') metadata[`slot_${random.between(1, 4)}`] = random.pick(['', 'a', 'b', id])!;
  // Without a key, only this mark shows which operation made a change.
  if (random.chance(0.5) || key === null || isMarked) metadata.changed_by = id;
  if (Object.keys(metadata).length > 0) body.metadata = metadata;
  return { kind: 'update_reference', method: 'POST', path: `/v1/references/${referenceId}`, body, key };
}

function cancel(id: string, referenceId: string, random: Random): Wish {
  const body = random.chance(0.5) ? {} : null;
  const path = `/v1/references/${referenceId}/cancel`;
  return { kind: 'cancel_reference', method: 'POST', path, body, key: keyOrNot(id, random) };
}

/** Sends another operation's key with another body, or on another path. */
function misuse(id: string, { path, key }: Operation, random: Random): Plan {
  const elsewhere = random.chance(0.3);
  const metadata = { made_by: id };
  const body =
    path === '/v1/customers' || elsewhere
      ? { name: id, metadata }
      : path === '/v1/references'
        ? { application: 'app_other', metadata }
        : { metadata };
  const operation: Wish = { kind: 'misuse_key', method: 'POST', path: elsewhere ? '/v1/customers' : path, body, key };
  return { kind: 'new', operation, copies: 1 };
}

function keyOrNot(id: string, random: Random): string | null {
  return random.chance(0.65) ? keyOf(id) : null;
}

function keyOf(id: string): string {
  return `key ${id}`;
}

function remember<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > rememberedMax) items.shift();
}

/** Whether a retry makes sense, by the API's own advice. */
export function isTemporary(answer: Answered): boolean {
  return answer.status === 503 || (answer.status === 409 && errorCodeOf(answer) === 'idempotency_key_in_use');
}
