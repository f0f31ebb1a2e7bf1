import { Type } from 'typebox';
import { newRecord } from '../../model/change.ts';
import { invalidParameter } from '../../core/errors.ts';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource, type Action, type Change } from '../../model/resource.ts';
import { closedObject, nullable, oneOf } from '../../model/schemas.ts';
import { nestedUnder } from '../../model/traits/nested-under.ts';
import { requireEnabled, type WebhookEndpointRecord } from './record.ts';

const Time = Type.Integer({ minimum: 0, maximum: 9_999_999_999 });

export type RecoveryRecord = StoredRecord & {
  webhook_endpoint: string;
  since: number;
  status: 'pending' | 'completed' | 'canceled';
  resent: number;
  completed_at: number | null;
  position: string;
};

/** An order to send an endpoint again what it did not take. A duty carries it out, page by page. */
export const recovery = defineResource<RecoveryRecord>(
  {
    object: 'recovery',
    prefix: 'rcv',
    path: 'recoveries',
    table: 'recoveries',
    docs: {
      description: 'An order to send a webhook endpoint again what it did not take since a time.',
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
      created: 'A recovery was asked for.',
      updated: 'A recovery has come further: `previous_attributes` has the changed members as they were.',
      completed: 'Everything that the endpoint did not take is being sent again.',
      canceled: 'The endpoint was disabled or deleted before the recovery was complete.',
    },
    links: { webhook_endpoint: 'webhook_endpoints' },
    fields: {
      webhook_endpoint: { column: 'text', schema: Type.String(), description: 'The id of the endpoint.' },
      since: {
        column: 'bigint',
        schema: Type.Integer(),
        description: 'Since when what failed is sent again, in seconds since the Unix epoch.',
      },
      status: {
        column: 'text',
        schema: oneOf('pending', 'completed', 'canceled'),
        description:
          '`pending`: it goes on. `completed`: all is queued. `canceled`: the endpoint was disabled or deleted meanwhile.',
      },
      resent: { column: 'bigint', schema: Type.Integer(), description: 'How many deliveries it has made so far.' },
      completed_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description: 'When it was completed or canceled, in seconds since the Unix epoch; null while it is pending.',
      },
      position: { column: 'text', schema: Type.String(), shown: 'never' },
    },
  },
  nestedUnder({ columns: { webhook_endpoints: 'webhook_endpoint' } }),
);

/** `POST /v1/webhook_endpoints/{id}/recover`. */
export const recover: Action<WebhookEndpointRecord> = {
  summary: 'Recover a webhook endpoint',
  description:
    'Sends again every event since then that this endpoint should have got and has not: whose delivery failed or was canceled, and those that happened while the endpoint was disabled. Each is sent once, as a new delivery with the whole schedule of retries, also if this service is stopped in between. The answer is a recovery, which goes on by itself; follow it in the endpoint’s recoveries.',
  example: { since: 1795147200 },
  refusals: ['status_transition_invalid'],
  body: closedObject({
    since: { ...Time, description: 'Since when, in seconds since the Unix epoch: not earlier than events are kept.' },
  }),
  answers: recovery,
  decide(current, caller, input): Change<WebhookEndpointRecord> {
    const { since } = input as { since: number };
    requireEnabled(current);
    if (since > caller.nowSeconds)
      throw invalidParameter('since', '`since` lies in the future: nothing has failed yet.');
    if (since < caller.retainedFromSeconds) {
      throw invalidParameter(
        'since',
        `\`since\` lies before ${caller.retainedFromSeconds}: what is older than that is not kept here. Ask for a later time.`,
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
      answer: record,
    };
  },
};

/** A recovery that is over. */
export function ended(
  current: RecoveryRecord,
  status: 'completed' | 'canceled',
  nowSeconds: number,
): Change<RecoveryRecord> {
  return { after: { ...current, status, completed_at: nowSeconds }, verb: status };
}
