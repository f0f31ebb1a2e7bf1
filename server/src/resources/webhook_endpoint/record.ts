import { ApiError } from '../../core/errors.ts';
import { includesPermission } from '../../model/permissions.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Caller } from '../../model/caller.ts';

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

/** A time in which nothing was queued for the endpoint, in seconds since the Unix epoch. */
export interface DisabledSpan {
  from: number;
  /** Null while it is disabled. */
  to: number | null;
}

/** Whoever says where events go can read them there. */
export function requireEvents({ permissions }: Caller): void {
  if (includesPermission(permissions, 'events.read')) return;
  throw new ApiError(
    'permission_denied',
    'This key lacks the permission `events.read`, which saying where events go takes too. Give it that permission, or use another key.',
  );
}

/** @throws {ApiError} `status_transition_invalid` if nothing is sent to the endpoint. */
export function requireEnabled({ id, status }: WebhookEndpointRecord): void {
  if (status === 'enabled') return;
  throw new ApiError(
    'status_transition_invalid',
    `The webhook endpoint ${id} is disabled, so nothing is sent to it. Enable it first, with \`status: enabled\`.`,
  );
}
