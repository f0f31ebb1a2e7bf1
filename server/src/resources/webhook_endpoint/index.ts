import { Type } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { createFrom, defineResource, updateFrom } from '../../model/resource.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import type { Caller } from '../../model/caller.ts';
import type { Change, RequestedDelivery } from '../../model/resource.ts';
import { cached } from '../../model/traits/cached.ts';
import { limited } from '../../model/traits/limited.ts';
import { receivesDeliveries } from '../../model/traits/receives-deliveries.ts';
import { targetUrlFault } from '../../core/target-addresses.ts';
import { webhookDelivery } from './delivery.ts';
import { withStatus } from './disabling.ts';
import { requireKnownEvents } from './enabled-events.ts';
import { recover } from './recovery.ts';
import { requireEnabled, requireEvents, type WebhookEndpointRecord } from './record.ts';
import { newDelivery } from './requested-delivery.ts';

/** `*`, `<resource>.*` or `<resource>.<verb>`. Which names are known depends on the kinds of record that are served. */
const EventName = Type.String({ maxLength: 100, pattern: '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))$' });
const EnabledEvents = Type.Array(EventName, { minItems: 1, maxItems: 100, uniqueItems: true });
const Url = Type.String({ minLength: 1, maxLength: 2048 });
const Description = Type.String({ maxLength: 500 });
const Version = Type.String({ maxLength: 40 });
const Status = oneOf('enabled', 'disabled');

/** Where an account wants its events delivered (spec, webhook endpoint). */
export const webhookEndpoint = defineResource<WebhookEndpointRecord>(
  {
    object: 'webhook_endpoint',
    prefix: 'we',
    path: 'webhook_endpoints',
    table: 'webhook_endpoints',
    docs: {
      description: 'Where an account wants its events delivered.',
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
        'This service has disabled it, because every attempt has failed for days; `disabled_reason` says more. That somebody disabled it is told by `webhook_endpoint.updated` alone.',
      pinged: 'Somebody tried it out; this event goes to this endpoint alone, whatever it is subscribed to.',
    },
    metadata: true,
    fields: {
      url: {
        column: 'text',
        schema: Url,
        description:
          'Where deliveries are sent: an http or https address (in live mode https only) without credentials, that leads to public addresses.',
      },
      description: {
        column: 'text',
        schema: nullable(Description),
        description: 'What it is for, in your words; null if nothing was said.',
      },
      enabled_events: {
        column: 'text[]',
        schema: EnabledEvents,
        description:
          'The types it gets: `*` for all, `<resource>.*`, or `<resource>.<verb>`. A name that no event has is refused.',
      },
      api_version: {
        column: 'text',
        schema: Type.String(),
        description: 'The version whose shape its deliveries have. An upgrade of the account does not change it.',
      },
      connected: {
        column: 'boolean',
        schema: Type.Boolean(),
        description:
          'Whether it gets the events of connected accounts, each with its `account`, instead of your own. It cannot be changed.',
      },
      status: {
        column: 'text',
        schema: Status,
        description:
          '`enabled`, or `disabled`: then nothing new is queued for it, and what is pending becomes `canceled`. Enabling starts afresh.',
      },
      // How many times it was enabled: what was made under an earlier number is not sent any more.
      enablement: { column: 'bigint', schema: Type.Integer(), shown: 'never' },
      disabled_spans: { column: 'json', schema: Type.Array(Type.Object({})), shown: 'never' },
      disabled_reason: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'Why this service has disabled it; null if it has not.',
      },
      signing_secret: {
        column: 'sealed',
        schema: Type.String(),
        shown: 'as_secret',
        description:
          'What deliveries are signed with: `whsec_…`, all of which is the key. Shown to keys with `webhook_endpoints.write` when the endpoint is made, retrieved or given a new one; never in lists, events or logs.',
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
        description:
          'Makes an endpoint, enabled and for all events unless you say otherwise, in the account’s version. The answer has its `signing_secret`. The key also needs `events.read`.',
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
        if (current.connected) requireOwnAccount(caller);
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
          'To change `url` or `enabled_events`, the key also needs `events.read`. The answer takes a quarter of a second: then the change holds for every delivery.',
        example: { enabled_events: ['reference.*', 'customer.updated'] },
      },
    ),
    delete: 'removes',
    actions: {
      roll_secret: {
        summary: 'Roll the signing secret of a webhook endpoint',
        description:
          'Gives the endpoint a new `signing_secret`, which the answer has. The old one is void at once: no delivery whose `t` is later than the answer is signed with it.',
        showsSecrets: true,
        decide(current, caller) {
          if (current.connected) requireOwnAccount(caller);
          return { after: { ...current, signing_secret: caller.makeSecret('whsec') }, verb: 'secret_rolled' };
        },
      },
      ping: {
        summary: 'Ping a webhook endpoint',
        description:
          'Sends an event of the type `webhook_endpoint.pinged` to this endpoint alone, whatever it is subscribed to. The answer is the delivery, whose attempts you find in the endpoint’s deliveries.',
        refusals: ['status_transition_invalid'],
        answers: webhookDelivery,
        decide: ping,
      },
      recover,
    },
  },
  receivesDeliveries({ isOpen: ({ status }: WebhookEndpointRecord) => status === 'enabled' }),
  // Every event is written once for each.
  limited(100),
  // The dispatcher reads an endpoint again after this time.
  cached(250),
);

/** Tries an endpoint out: an event for it alone, whatever it subscribed to. The answer is its delivery. */
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
  return { after: current, verb, eventId, deliveries: [delivery], answer: record };
}

/**
 * Lets a change of an endpoint for connected accounts pass. Its receiver gets events of the accounts below. A platform's key reaches only
 * those directly below the platform.
 *
 * @throws {ApiError} `account_invalid` with status 400.
 */
function requireOwnAccount({ isOwnAccount }: Caller): void {
  if (isOwnAccount) return;
  throw new ApiError(
    'account_invalid',
    'An endpoint with `connected` gets the events of accounts that your key does not reach. Use a key of the account that `Service-Context` names, or leave `connected` out.',
    { status: 400, type: 'invalid_request_error' },
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
