import { Type } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { createFrom, defineResource, updateFrom } from '../../model/resource.ts';
import { named, nullable, oneOf } from '../../model/schemas/make.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { Change, RequestedDelivery } from '../../model/resource.ts';
import { requireConfirmationInLive } from '../../model/callers/confirmation.ts';
import { cached } from '../../model/traits/cached.ts';
import { checksRemoval } from '../../model/traits/checks-removal.ts';
import { limited } from '../../model/traits/limited.ts';
import { ownKeysOnly } from '../../model/traits/own-keys-only.ts';
import { receivesDeliveries } from '../../model/traits/receives-deliveries.ts';
import { targetUrlFault } from '../../core/addresses/target-addresses.ts';
import { webhookDelivery } from './delivery.ts';
import { withStatus } from './disabling.ts';
import { requireKnownEvents } from './enabled-events.ts';
import { recover } from './recovery.ts';
import { requireEnabled, requireEvents, type WebhookEndpointRecord } from './endpoint-record.ts';
import { newDelivery } from './requested-delivery.ts';

/** `*`, `<resource>.*` or `<resource>.<verb>`. The known names depend on the kinds of record that are served. */
const EventName = Type.String({ maxLength: 100, pattern: '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))$' });
const EnabledEvents = Type.Array(EventName, { minItems: 1, maxItems: 200, uniqueItems: true });
const Url = Type.String({ minLength: 1, maxLength: 2048 });
const Description = Type.String({ maxLength: 500 });
const Version = Type.String({ maxLength: 40 });
const Status = named('WebhookEndpointStatus', 'The status of a webhook endpoint.', oneOf('enabled', 'disabled'));

/** Why a platform's key cannot have a connected account's endpoint for the accounts below, and what to do. */
const forOwnKeys =
  'An endpoint with `connected` receives events of accounts that your key does not reach. Use a key of the account in `Service-Context`.';

/** A URL that receives an account's events (spec, webhook endpoint). */
export const webhookEndpoint = defineResource<WebhookEndpointRecord>(
  {
    object: 'webhook_endpoint',
    prefix: 'we',
    path: 'webhook_endpoints',
    table: 'webhook_endpoints',
    docs: {
      description: 'A URL that receives an account’s events.',
      example: {
        record: {
          url: 'https://example.org/tenure/webhooks',
          description: 'Letting back office',
          enabled_events: ['reference.*', 'customer.updated'],
          api_version: '2026-11-01',
          connected: false,
          status: 'enabled',
          disabled_reason: null,
          metadata: {},
          signing_secret: 'whsec_4nB7qTzYw2Xk9LrVd5Jp8McHf3Gs6Ea1',
        },
        before: { enabled_events: ['reference.*'] },
      },
    },
    verbs: {
      secret_rolled: 'It has a new signing secret.',
      disabled:
        'The server has disabled it, because every attempt has failed for days. `disabled_reason` says more. If you disable it yourself, the only event is `webhook_endpoint.updated`.',
      pinged: 'A ping was requested. Only this endpoint receives the event, even if it has not subscribed to it.',
    },
    metadata: true,
    fields: {
      url: {
        column: 'text',
        schema: Url,
        description:
          'The URL of the receiver: http or https (in live mode only https), without credentials, at a public address.',
      },
      description: {
        column: 'text',
        schema: nullable(Description),
        description: 'Your description of its purpose. Null if you sent none.',
      },
      enabled_events: {
        column: 'text[]',
        schema: EnabledEvents,
        description:
          'The event types that it receives: `*` for all, `<resource>.*`, or `<resource>.<verb>`. Unknown names are refused.',
      },
      api_version: {
        column: 'text',
        schema: Type.String(),
        description: 'The version of its deliveries. An upgrade of the account does not change it.',
      },
      connected: {
        column: 'boolean',
        schema: Type.Boolean(),
        description:
          'Whether it receives the events of connected accounts, each with its `account`, instead of your own. You cannot change it later.',
      },
      status: {
        column: 'text',
        schema: Status,
        description:
          '`enabled` or `disabled`. A disabled endpoint gets no new deliveries, and its pending ones become `canceled`. If you enable it again, it gets new events only.',
      },
      // How many times it was enabled. Deliveries with an earlier number are not sent.
      enablement: { column: 'bigint', schema: Type.Integer(), shown: 'never' },
      disabled_spans: { column: 'json', schema: Type.Array(Type.Object({})), shown: 'never' },
      disabled_reason: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'Why the server has disabled it. Null if it has not.',
      },
      signing_secret: {
        column: 'encrypted',
        schema: Type.String(),
        shown: 'as_secret',
        description:
          'The key for signatures of deliveries: the whole text `whsec_…`. API keys with `webhook_endpoints.write` see it when they create or retrieve the endpoint or roll the secret. It is never in lists, events or logs.',
      },
    },
    create: createFrom(
      {
        url: Url,
        description: Type.Optional(nullable(Description)),
        enabled_events: Type.Optional(nullable(EnabledEvents)),
        api_version: Type.Optional(nullable(Version)),
        connected: Type.Optional(nullable(Type.Boolean())),
        status: Type.Optional(nullable(Status)),
      },
      (input, caller) => {
        requireConfirmationInLive(caller);
        if (input.connected) requireOwnAccount(caller);
        return {
          url: allowedUrl(input.url, caller),
          description: input.description ?? null,
          enabled_events: requireKnownEvents(input.enabled_events ?? ['*'], caller),
          api_version: knownVersion(input.api_version ?? caller.account.api_version, caller),
          connected: input.connected ?? false,
          status: input.status ?? 'enabled',
          enablement: 1,
          disabled_reason: null,
          disabled_spans: input.status === 'disabled' ? [{ from: caller.nowSeconds, to: null }] : [],
          signing_secret: caller.makeSecret('whsec'),
        };
      },
      {
        alsoNeeds: ['events.read'],
        sensitive: true,
        refusals: ['reauthentication_required'],
        description:
          'Creates an endpoint. By default it is enabled, receives all events, and has the account’s version. The response has its `signing_secret`. Your key also needs `events.read`.',
        example: {
          url: 'https://example.org/tenure/webhooks',
          enabled_events: ['reference.*', 'customer.updated'],
          description: 'Letting back office',
        },
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
        if (input.url !== undefined) requireConfirmationInLive(caller);
        if (input.url !== undefined || input.enabled_events !== undefined) requireEvents(caller);
        const after: WebhookEndpointRecord = {
          ...withStatus(current, input.status ?? current.status, caller.nowSeconds),
          url: input.url === undefined ? current.url : allowedUrl(input.url, caller),
          description: input.description === undefined ? current.description : input.description,
          enabled_events:
            input.enabled_events === undefined
              ? current.enabled_events
              : requireKnownEvents(input.enabled_events, caller),
          api_version: input.api_version === undefined ? current.api_version : knownVersion(input.api_version, caller),
        };
        return { after };
      },
      {
        description:
          'To change `url` or `enabled_events`, your key also needs `events.read`. The response takes a quarter of a second, so that the change applies to every later delivery.',
        example: { enabled_events: ['reference.*', 'customer.updated'] },
        sensitive: true,
        refusals: ['reauthentication_required'],
      },
    ),
    delete: 'removes',
    actions: {
      roll_secret: {
        summary: 'Roll the signing secret of a webhook endpoint',
        description:
          'Replaces the `signing_secret` of the endpoint, and returns the new one. The old secret is invalid at once: no delivery with a `t` after the response is signed with it.',
        showsSecrets: true,
        sensitive: true,
        refusals: ['reauthentication_required'],
        decide(current, caller) {
          caller.requireConfirmation();
          return { after: { ...current, signing_secret: caller.makeSecret('whsec') }, verbs: ['secret_rolled'] };
        },
      },
      ping: {
        summary: 'Ping a webhook endpoint',
        description:
          'Sends an event of the type `webhook_endpoint.pinged` to this endpoint only, even if it has not subscribed to it. The response is the delivery. You find its attempts in the endpoint’s deliveries.',
        refusals: ['status_transition_invalid'],
        returns: webhookDelivery,
        decide: ping,
      },
      recover,
    },
  },
  receivesDeliveries({ isOpen: ({ status }: WebhookEndpointRecord) => status === 'enabled' }),
  checksRemoval({ check: (_, caller) => requireConfirmationInLive(caller) }),
  // Every event is written once for each endpoint.
  limited(100),
  ownKeysOnly({ applies: ({ connected }: WebhookEndpointRecord) => connected, message: forOwnKeys }),
  // The dispatcher reads an endpoint again after this time, in milliseconds.
  cached(250),
);

/** Sends a test event to this endpoint only, even if it has not subscribed to the type. Responds with the delivery. */
function ping(current: WebhookEndpointRecord, caller: Caller): Change<WebhookEndpointRecord> {
  requireEnabled(current);
  const verb = 'pinged';
  const eventId = caller.makeId('evt');
  const delivery: RequestedDelivery = {
    id: caller.makeId('dlv'),
    eventId,
    type: `${webhookEndpoint.object}.${verb}`,
    eventAccountId: current.account_id,
    accountId: current.account_id,
    endpointId: current.id,
    enablement: current.enablement,
    isResend: false,
  };
  const record = newDelivery(delivery, caller.nowSeconds);
  return { after: current, verbs: [verb], eventId, deliveries: [delivery], response: record };
}

/** @throws {ApiError} `account_invalid` with status 400. */
function requireOwnAccount({ isOwnAccount }: Caller): void {
  if (isOwnAccount) return;
  throw new ApiError('account_invalid', `${forOwnKeys} Or leave \`connected\` out.`, {
    status: 400,
    type: 'invalid_request_error',
  });
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
