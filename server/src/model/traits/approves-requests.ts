import type { StoredRecord } from '../record.ts';
import type { Change } from '../resource.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { defineTrait } from '../trait.ts';

/** A request of an agent that waits for a person. */
export interface HeldRequest {
  /** The API key of the agent. */
  keyId: string;
  /** A hash of everything that must be the same when the agent sends the request again. */
  fingerprint: string;
  /** What the operation does, in a few words. */
  title: string;
  /** The operation: `references_cancel`. */
  operation: string;
  method: string;
  /** Without the query. */
  path: string;
  /** The body as it was sent, without secrets. Null if there is none. */
  body: JsonObject | null;
  /** The reason that the agent gives. Null if it gives none. */
  reason: string | null;
  /** The customer that the request is about. Null if there is none. */
  customerId: string | null;
  /** The time of the request, in seconds. */
  nowSeconds: number;
}

/** The party that has approved a request. It must still be allowed to do so when the request is executed. */
export interface Approver {
  accountId: string;
  /** The id of a user. In a sandbox, also that of an API key: a test helper approves. */
  id: string;
  permission: string;
}

/** The kind of record by which persons approve the requests of agents. */
export interface Approvals {
  /** The columns by which the record of a held request is found. */
  foundBy: Readonly<Record<'keyId' | 'fingerprint', string>>;
  /** The columns with the path and the body of a held request. */
  asks: Readonly<Record<'path' | 'body', string>>;
  /** Returns the fields of the record of a new held request. */
  hold(request: HeldRequest): JsonObject;
  /** Returns the decision that counts now. `none`: the record counts no more, so the same request needs a new one. */
  stateOf(record: StoredRecord, nowSeconds: number): 'pending' | 'approved' | 'rejected' | 'none';
  /** Returns the reason of a rejection. Null if there is none. */
  reasonOf(record: StoredRecord): string | null;
  /** Returns the approver. Null if the record is not approved. */
  approverOf(record: StoredRecord): Approver | null;
  /** Uses an approval up. */
  execute(record: StoredRecord, executed: { requestId: string; customerId: string | null }): Change<StoredRecord>;
  /** Ends a record that counts no more. Null if it has ended. */
  end(record: StoredRecord): Change<StoredRecord> | null;
}

export const approvesRequests = defineTrait<Approvals>();
