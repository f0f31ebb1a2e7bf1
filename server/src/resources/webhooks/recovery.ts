import { Type } from 'typebox';
import { newRecord } from '../../model/change.ts';
import { invalidParameter } from '../../core/errors.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { StoredRecord } from '../../model/record.ts';
import { actionFrom, defineResource, type Change } from '../../model/resource.ts';
import { named, nullable, oneOf } from '../../model/schemas/make.ts';
import { nestedUnder } from '../../model/traits/nested-under.ts';
import { requireEnabled, type WebhookEndpointRecord } from './endpoint-record.ts';

const Since = Type.Integer({
  minimum: 0,
  maximum: 9_999_999_999,
  description: 'The time from which to recover, in seconds since the Unix epoch. It must be within the retention time.',
});

export type RecoveryRecord = StoredRecord & {
  webhook_endpoint: string;
  since: number;
  status: 'pending' | 'completed' | 'canceled';
  resent: number;
  completed_at: number | null;
  position: string;
};

/** A job that sends an endpoint the events that it missed. A duty runs it, page by page. */
export const recovery = defineResource<RecoveryRecord>(
  {
    object: 'recovery',
    prefix: 'rcv',
    path: 'recoveries',
    table: 'recoveries',
    docs: {
      description: 'A job that sends missed events to a webhook endpoint, from a given time on.',
      example: {
        record: {
          webhook_endpoint: 'we_0VbZqxC200fW8gYmUo2Jd5',
          since: 1795147200,
          status: 'completed',
          resent: 1204,
          completed_at: 1795234031,
        },
        before: { status: 'pending', resent: 0, completed_at: null },
        after: { created: { status: 'pending', resent: 0, completed_at: null } },
      },
    },
    verbs: {
      created: 'A recovery was requested.',
      updated: 'A recovery has made progress. `previous_attributes` has the earlier values of the changed members.',
      completed: 'All events that the endpoint missed are queued again.',
      canceled: 'The endpoint was disabled or deleted before the recovery was complete.',
    },
    links: { webhook_endpoint: 'webhook_endpoints' },
    fields: {
      webhook_endpoint: { column: 'text', schema: Type.String(), description: 'The id of the endpoint.' },
      since: {
        column: 'bigint',
        schema: Type.Integer(),
        description: 'The time from which missed events are sent again, in seconds since the Unix epoch.',
      },
      status: {
        column: 'text',
        schema: named('RecoveryStatus', 'The status of a recovery.', oneOf('pending', 'completed', 'canceled')),
        description:
          '`pending`: it is in progress. `completed`: all missed events are queued. `canceled`: the endpoint was disabled or deleted meanwhile.',
      },
      resent: {
        column: 'bigint',
        schema: Type.Integer(),
        description: 'The number of deliveries that it has made so far.',
      },
      completed_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description: 'When it was completed or canceled, in seconds since the Unix epoch. Null while it is pending.',
      },
      position: { column: 'text', schema: Type.String(), shown: 'never' },
    },
  },
  nestedUnder({ columns: { webhook_endpoints: 'webhook_endpoint' } }),
);

/** `POST /v1/webhook_endpoints/{id}/recover`. */
export const recover = actionFrom({ since: Since }, recoverSince, {
  summary: 'Recover a webhook endpoint',
  description:
    'Sends every event again that this endpoint should have received since then, but has not. The endpoint missed an event if the delivery failed or was canceled, or if the endpoint was disabled at that time. Each gets one new delivery with the whole retry schedule, even if the server is stopped meanwhile. The response is a recovery, which continues in the background. You can follow it in the endpoint’s recoveries.',
  example: { since: 1795147200 },
  sensitive: true,
  refusals: ['status_transition_invalid'],
  returns: recovery,
});

function recoverSince(
  current: WebhookEndpointRecord,
  caller: Caller,
  { since }: { since: number },
): Change<WebhookEndpointRecord> {
  requireEnabled(current);
  if (since > caller.nowSeconds) throw invalidParameter('since', '`since` is in the future. Send a time in the past.');
  if (since < caller.retainedFromSeconds) {
    throw invalidParameter(
      'since',
      `\`since\` is before ${caller.retainedFromSeconds}, and older events are not stored. Send a later time.`,
    );
  }
  const record: RecoveryRecord = {
    ...newRecord(caller.makeId(recovery.prefix), current.account_id),
    webhook_endpoint: current.id,
    since,
    status: 'pending',
    resent: 0,
    completed_at: null,
    position: '',
  };
  return {
    after: current,
    also: [{ resource: recovery, before: null, after: record }],
    response: record,
  };
}

/** Ends a recovery. */
export function ended(
  current: RecoveryRecord,
  status: 'completed' | 'canceled',
  nowSeconds: number,
): Change<RecoveryRecord> {
  return { after: { ...current, status, completed_at: nowSeconds }, verbs: [status] };
}
