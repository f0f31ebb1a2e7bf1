import { hashKey, makeKey } from '../../core/secrets/api-keys.ts';
import { randomBase62 } from '../../core/base62.ts';
import { today } from '../../core/calendar.ts';
import { toSeconds } from '../../core/clock.ts';
import { retainedFromMs } from '../../core/retention.ts';
import { hashToken, makeLinkToken } from '../../core/secrets/tokens.ts';
import { firstEmailStatus } from '../../email/queue.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { eventRecordSchemaOf } from '../../model/schemas/record-schema.ts';
import { linkUrl } from '../../sign-in/links.ts';
import { realSecondsOf, requireConfirmation } from '../../sign-in/sessions.ts';
import type { HttpContext } from '../context.ts';
import { lackingForEvents } from '../response/hidden-events.ts';
import type { ApiRequest } from '../request.ts';

/** So many base62 digits are 190 bits, which cannot be guessed. */
const secretLength = 32;

/**
 * Returns the caller of a decision: the principal of this request, and the account that it acts on.
 *
 * @param isGated whether the request of an agent is executed only if a person has approved it.
 */
export function callerOf(
  context: HttpContext,
  request: Pick<ApiRequest, 'account' | 'accountId' | 'principal' | 'versionsServed'>,
  { isGated = false } = {},
): Caller {
  const { config, clock, ids, encryption, randomBytes, permissions, eventTypes, referencingServices } = context;
  const { name, apiVersion, defaultProvider, timeZone, rules, invoicePrefix, paymentProvider } = request.account;
  const { providersWithCredentials } = request.account;
  const nowSeconds = toSeconds(clock.nowMs());
  const isAgent = ['agent', 'system'].includes(request.principal.type);
  return {
    mode: config.mode,
    nowSeconds,
    realSeconds: realSecondsOf(context),
    account: {
      name,
      api_version: apiVersion,
      default_provider: defaultProvider,
      providers_with_credentials: providersWithCredentials,
      time_zone: timeZone,
      rules,
      invoice_prefix: invoicePrefix,
      payment_provider: paymentProvider,
    },
    today: today(nowSeconds, timeZone),
    isOwnAccount: request.accountId === request.principal.accountId,
    actorId: request.principal.id,
    actorAccountId: request.principal.accountId,
    actorName: request.principal.name,
    isAgent,
    isAutomated: isAgent && !isGated && request.principal.isApproved !== true,
    permissions: request.principal.permissions,
    referencingServices,
    knownPermissions: permissions,
    knownEventTypes: eventTypes,
    lackingForEvents: (type) => lackingForEvents(context, type, request.principal),
    person: request.principal.person,
    requireConfirmation: () => requireConfirmation(request.principal, realSecondsOf(context)),
    keyExpiresAt: request.principal.expiresAt,
    // The list needs all routes, and few decisions read it.
    get stepOperations() {
      return context.apiSteps.operations;
    },
    recordSchemaOf(object) {
      const resource = context.resources.find((each) => each.object === object);
      return resource ? eventRecordSchemaOf(resource) : null;
    },
    apiVersions: request.versionsServed,
    allowedTargets: config.allowedTargets,
    firstEmailStatus: firstEmailStatus(config),
    retainedFromSeconds: toSeconds(retainedFromMs(clock.nowMs(), config.retentionDays)),
    makeId: (prefix) => ids.make(prefix),
    encrypt: (text) => encryption.encrypt(text),
    makeSecret: (prefix) => encryption.encrypt(`${prefix}_${randomBase62(secretLength, randomBytes)}`),
    makeLink(page) {
      const token = makeLinkToken(randomBytes);
      return { url: encryption.encrypt(linkUrl(config.publicUrl, page, token)), hash: hashToken(token) };
    },
    makeKey(type) {
      const key = makeKey(type, config.mode, randomBytes, config.cell);
      return { encrypted: encryption.encrypt(key), hash: hashKey(key), lastFour: key.slice(-4) };
    },
  };
}
