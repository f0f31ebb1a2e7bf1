import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { hashToken, isLinkToken } from '../../core/secrets/tokens.ts';
import { isErased, toDecision } from '../../model/change.ts';
import { principalOfRenter } from '../../model/callers/principal.ts';
import { customer } from '../../resources/customer.ts';
import {
  isOfEarlierAddress,
  lastsUntil,
  opened,
  portalSession,
  statusOf,
  type PortalSessionRecord,
} from '../../resources/portal-session.ts';
import { findPortalLink, makePortalToken } from '../../sign-in/portal-sessions.ts';
import { realSecondsOf } from '../../sign-in/sessions.ts';
import type { BodyBudgets } from '../body/body-bytes.ts';
import { takeSmallPosts } from '../body/small-posts.ts';
import type { HttpContext } from '../context.ts';
import { refuseAway } from '../pipeline/account-context.ts';
import { isFromPortal, portalCookie, portalSessionInvalid, requirePortalPlace } from '../pipeline/portal.ts';
import { Buckets, type FailedSignIns } from '../pipeline/rate-limit.ts';
import { authenticated, type ReceivedRequest } from '../request.ts';
import { requestFacts } from '../write/request-facts.ts';
import type { OpenPost } from '../route.ts';
import { brandView, readOwner } from './me.ts';
import { accessObject, linkObject, LinkTokenBody } from './objects.ts';

const docsOfLink = { example: { token: 'h3Vd8sKq1ZtYb6Wn4Lr9Mc2Xp7Gf5Ja0' } };

const lookAtLink: OpenPost = {
  operationId: 'portal_link',
  path: '/v1/portal/link',
  docs: {
    ...docsOfLink,
    summary: 'Look at a link',
    description: 'Tells which agent has made a link, and spends nothing.',
  },
  body: LinkTokenBody,
  response: linkObject,
};

const spendLink: OpenPost = {
  operationId: 'portal_open',
  path: '/v1/portal/open',
  docs: {
    ...docsOfLink,
    summary: 'Open a link',
    description: 'Spends a link, and begins its session. A link opens once.',
  },
  body: LinkTokenBody,
  response: accessObject,
};

/** What comes before a session. */
export const portalOpening = [lookAtLink, spendLink];

/** How often one link is used, a second. Each time, the account and its logo are read. */
const usesPerSecond = 5;

/**
 * Adds the routes of links, which come before a session. With `POST /v1/portal/link`, a person learns which agent has made a link. That
 * spends nothing. `POST /v1/portal/open` spends the link, and begins its session. Our own page gets a cookie. Any other client gets a token,
 * for an agent's own pages. A link that does not work counts as a failed sign-in of its address.
 */
export function addPortalOpening(
  app: FastifyInstance,
  context: HttpContext,
  { bodies, failedSignIns }: { bodies: BodyBudgets; failedSignIns: FailedSignIns },
): void {
  const uses = new Buckets(usesPerSecond);
  void app.register(async (scope) => {
    const addPost = takeSmallPosts(scope, bodies);

    /** Adds a POST with the token of a link that can still be opened. */
    function addOfLink(
      { path, body }: OpenPost,
      answer: (session: PortalSessionRecord, request: FastifyRequest, reply: FastifyReply) => Promise<JsonObject>,
    ): void {
      addPost(path, body, async (request, reply, takeBody) => {
        const { token } = takeBody() as Static<typeof LinkTokenBody>;
        try {
          const session = await pendingSession(context, token);
          if (!uses.take(session.id).taken)
            throw new ApiError('rate_limit', 'This link was used too often in a second.', { retryAfterSeconds: 1 });
          return await answer(session, request, reply);
        } catch (error) {
          if (error instanceof ApiError && error.code === 'portal_session_invalid')
            failedSignIns.note(request.apiRequest.client);
          throw error;
        }
      });
    }

    addOfLink(lookAtLink, async ({ account_id: accountId, expires_at }) => {
      return {
        object: 'portal_link',
        expires_at,
        account: await brandView(context, await readOwner(context, accountId)),
      };
    });
    addOfLink(spendLink, async (pending, request, reply) => {
      const place = isFromPortal(request) ? requirePortalPlace(request, context.config) : null;
      const { record, token } = await openLink(context, request.apiRequest, pending);
      const until = lastsUntil(record.opened_at!);
      if (place) reply.header('set-cookie', portalCookie(place, token, until - record.opened_at!));
      return { ...accessOf(record, until), ...(!place && { session_token: token }) };
    });
  });
}

function accessOf({ id, features, return_url, opened_at }: PortalSessionRecord, until: number): JsonObject {
  return { object: 'portal_access', id, features: [...features], return_url, opened_at, expires_at: until };
}

/**
 * Reads the session of a link that can still be opened.
 *
 * @throws {ApiError} `portal_session_invalid`, or `unavailable` if the account has moved to another cell.
 */
async function pendingSession(
  { reader, readRecord, accounts, realClock }: HttpContext,
  linkToken: string,
): Promise<PortalSessionRecord> {
  const found = isLinkToken(linkToken) ? await findPortalLink(reader, hashToken(linkToken)) : null;
  const account = found && (await accounts.get(found.accountId));
  refuseAway(account);
  const session = found && (await readRecord(portalSession, found.accountId, found.id));
  if (!session || statusOf(session, realSecondsOf({ realClock })) !== 'pending') throw portalSessionInvalid();
  const person = await readRecord(customer, session.account_id, session.customer);
  if (!person || isErased(person) || isOfEarlierAddress(session, person)) throw portalSessionInvalid();
  return session;
}

/**
 * Spends a link. Of several requests at once, one opens it: the revision of the session decides, also between processes.
 *
 * @returns the opened session, and the token that stands for it from now on.
 * @throws {ApiError} `portal_session_invalid`.
 */
async function openLink(
  context: HttpContext,
  request: ReceivedRequest,
  session: PortalSessionRecord,
): Promise<{ record: PortalSessionRecord; token: string }> {
  const { readRecord, committer, randomBytes } = context;
  const { account_id: accountId, id, customer: customerId } = session;
  const token = makePortalToken(randomBytes);
  const renter = { sessionId: id, customerId, features: new Set(session.features), lastsUntil: 0 };
  // The log has no body: the link is a secret.
  const known = authenticated({ ...request, bodyText: null }, principalOfRenter(renter, accountId));
  let record = session;
  const outcome = await committer.commit({
    accountId,
    payer: null,
    request: requestFacts(context, known),
    claim: null,
    locks: [id],
    async decide() {
      const current = await readRecord(portalSession, accountId, id);
      const person = await readRecord(customer, accountId, customerId);
      const realSeconds = realSecondsOf(context);
      if (!current || statusOf(current, realSeconds) !== 'pending' || !person || isErased(person))
        throw portalSessionInvalid();
      const { changes } = toDecision(portalSession, current, opened(current, hashToken(token), realSeconds));
      record = changes[0].after as PortalSessionRecord;
      return {
        changes,
        // An erasure at the same moment ends the session.
        guards: [{ resource: customer, record: person }],
        response: { status: 200, body: '', isUnlogged: true },
      };
    },
  });
  if (outcome.kind === 'refused') throw outcome.error;
  return { record, token };
}
