import { ApiError } from '../../core/errors.ts';
import { askOwner, includesPermission, lackOf } from '../../model/callers/permissions.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Caller } from '../../model/callers/caller.ts';

export type WebhookEndpointRecord = StoredRecord & {
  url: string;
  description: string | null;
  enabled_events: string[];
  api_version: string;
  connected: boolean;
  status: 'enabled' | 'disabled';
  enablement: number;
  disabled_reason: string | null;
  disabled_spans: DisabledSpan[];
  signing_secret: Buffer;
};

/** A time without new deliveries to the endpoint, in seconds since the Unix epoch. */
export interface DisabledSpan {
  from: number;
  /** Null while it is disabled. */
  to: number | null;
}

/** Requires `events.read`, because a key that sets the URL of an endpoint can read the events there. */
export function requireEvents({ permissions, person }: Caller): void {
  if (includesPermission(permissions, 'events.read')) return;
  throw new ApiError(
    'permission_denied',
    `${lackOf(person, 'events.read')}, which you need to choose where events are sent. ${person ? askOwner : 'Give it that permission, or use another key.'}`,
  );
}

/** @throws {ApiError} `status_transition_invalid` if the endpoint is disabled. */
export function requireEnabled({ id, status }: WebhookEndpointRecord): void {
  if (status === 'enabled') return;
  throw new ApiError(
    'status_transition_invalid',
    `The webhook endpoint ${id} is disabled, so it receives no events. Enable it first, with \`status: enabled\`.`,
  );
}
