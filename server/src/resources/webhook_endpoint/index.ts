import { Type } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { includesPermission } from '../../core/permissions.ts';
import { createFrom, defineResource, nullable, oneOf, updateFrom } from '../../core/resource.ts';
import type { Caller, Decided, StoredRecord } from '../../core/resource.ts';
import { targetUrlFault } from '../../core/target-addresses.ts';
import { newDelivery, webhookDelivery } from './delivery.ts';

/** `*`, `<resource>.*` or `<resource>.<verb>`. A name that is not known is taken: it may come with a later release. */
const EventName = Type.String({ maxLength: 100, pattern: '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))$' });
const EnabledEvents = Type.Array(EventName, { minItems: 1, maxItems: 100, uniqueItems: true });
const Url = Type.String({ minLength: 1, maxLength: 2048 });
const Description = Type.String({ maxLength: 500 });
const Version = Type.String({ maxLength: 40 });
const Status = oneOf('enabled', 'disabled');

export type WebhookEndpointRecord = StoredRecord & {
  url: string;
  description: string | null;
  enabled_events: string[];
  api_version: string;
  connected: boolean;
  status: 'enabled' | 'disabled';
  enablement: number;
  disabled_reason: string | null;
  signing_secret: Buffer;
};

/** Where an account wants its events delivered (spec, webhook endpoint). */
export const webhookEndpoint = defineResource<WebhookEndpointRecord>({
  object: 'webhook_endpoint',
  prefix: 'we',
  path: 'webhook_endpoints',
  table: 'webhook_endpoints',
  metadata: true,
  // Whoever sends deliveries reads an endpoint again after this time.
  staleForMs: 250,
  fields: {
    url: { column: 'text', schema: Url },
    description: { column: 'text', schema: nullable(Description) },
    enabled_events: { column: 'text[]', schema: EnabledEvents },
    api_version: { column: 'text', schema: Type.String() },
    connected: { column: 'boolean', schema: Type.Boolean() },
    status: { column: 'text', schema: Status },
    // How many times it was enabled: what was made under an earlier number is not sent any more.
    enablement: { column: 'bigint', schema: Type.Integer(), shown: 'never' },
    disabled_reason: { column: 'text', schema: nullable(Type.String()) },
    signing_secret: { column: 'sealed', schema: Type.String(), shown: 'as_secret' },
  },
  create: createFrom(
    {
      url: Url,
      description: Type.Optional(nullable(Description)),
      enabled_events: Type.Optional(nullable(EnabledEvents)),
      api_version: Type.Optional(nullable(Version)),
      /** Whether it gets the events of connected accounts, and those only. */
      connected: Type.Optional(nullable(Type.Boolean())),
      status: Type.Optional(nullable(Status)),
    },
    (input, caller) => {
      requireEvents(caller);
      return {
        url: allowedUrl(input.url, caller),
        description: input.description ?? null,
        enabled_events: input.enabled_events ?? ['*'],
        api_version: knownVersion(input.api_version ?? caller.account.api_version, caller),
        connected: input.connected ?? false,
        status: input.status ?? 'enabled',
        enablement: 1,
        disabled_reason: null,
        signing_secret: caller.makeSecret('whsec'),
      };
    },
  ),
  update: updateFrom(
    {
      url: Type.Optional(Url),
      description: Type.Optional(nullable(Description)),
      enabled_events: Type.Optional(EnabledEvents),
      api_version: Type.Optional(Version),
      status: Type.Optional(Status),
    },
    (current, input, caller) => {
      if (input.url !== undefined || input.enabled_events !== undefined) requireEvents(caller);
      const after: WebhookEndpointRecord = {
        ...current,
        url: input.url === undefined ? current.url : allowedUrl(input.url, caller),
        description: input.description === undefined ? current.description : input.description,
        enabled_events: input.enabled_events ?? current.enabled_events,
        api_version: input.api_version === undefined ? current.api_version : knownVersion(input.api_version, caller),
        status: input.status ?? current.status,
        enablement: current.enablement + (current.status === 'disabled' && input.status === 'enabled' ? 1 : 0),
        disabled_reason: input.status === 'enabled' ? null : current.disabled_reason,
      };
      return { after };
    },
  ),
  delete: 'removes',
  // Every event is written once for each.
  mostOfAnAccount: 100,
  actions: {
    roll_secret: {
      showsSecrets: true,
      decide: (current, caller) => ({
        after: { ...current, signing_secret: caller.makeSecret('whsec') },
        verb: 'secret_rolled',
      }),
    },
    ping: { decide: ping },
  },
});

/** Tries an endpoint out: an event for it alone, whatever it subscribed to. The answer is its delivery. */
function ping(current: WebhookEndpointRecord, caller: Caller): Decided<WebhookEndpointRecord> {
  if (current.status === 'disabled') {
    throw new ApiError(
      'status_transition_invalid',
      `The webhook endpoint ${current.id} is disabled, so nothing is sent to it. Enable it first, with \`status: enabled\`.`,
    );
  }
  const delivery = {
    id: caller.makeId('dlv'),
    eventId: caller.makeId('evt'),
    endpointId: current.id,
    enablement: current.enablement,
  };
  const verb = 'pinged';
  const record = newDelivery(current, delivery, `${webhookEndpoint.object}.${verb}`, caller.nowSeconds);
  return { after: current, verb, delivery, answer: { resource: webhookDelivery, record } };
}

/** Whoever says where events go can read them there. */
function requireEvents({ permissions }: Caller): void {
  if (includesPermission(permissions, 'events.read')) return;
  throw new ApiError(
    'permission_denied',
    'This key lacks the permission `events.read`, which saying where events go takes too. Give it that permission, or use another key.',
  );
}

function allowedUrl(url: string, caller: Caller): string {
  const fault = targetUrlFault(url, { mode: caller.mode, allowed: caller.allowedTargets });
  if (fault !== null) throw invalidParameter('url', fault);
  return new URL(url).href;
}

function knownVersion(version: string, { apiVersions }: Caller): string {
  if (apiVersions.includes(version)) return version;
  throw invalidParameter(
    'api_version',
    `\`api_version\` must be one of the versions of this API: ${apiVersions.join(', ')}.`,
  );
}
