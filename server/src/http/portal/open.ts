import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { hashToken, isLinkToken } from '../../core/tokens.ts';
import { isErased, toDecision } from '../../model/change.ts';
import { principalOfRenter } from '../../model/principal.ts';
import { closedObject } from '../../model/schemas.ts';
import { customer } from '../../resources/customer.ts';
import {
  lastsUntil,
  opened,
  portalSession,
  statusOf,
  type PortalSessionRecord,
} from '../../resources/portal-session.ts';
import { findPortalLink, makePortalToken } from '../../sign-in/portal-sessions.ts';
import { realSecondsOf } from '../../sign-in/sessions.ts';
import { BodyBytes, signInShare, type BodyBudgets } from '../body/body-bytes.ts';
import { receiveBytes } from '../body/incoming-bytes.ts';
import { parseJsonObject } from '../body/json.ts';
import { validator } from '../body/validate.ts';
import type { HttpContext } from '../context.ts';
import { headerOf } from '../headers.ts';
import { isFromPortal, portalCookie, portalSessionInvalid, requirePortalPlace } from '../pipeline/portal.ts';
import type { FailedSignIns } from '../pipeline/rate-limit.ts';
import { authenticated, type ReceivedRequest } from '../request.ts';
import { requestFacts } from '../write/request-facts.ts';
import { brandView } from './me.ts';

/** A body with a token is small. In bytes. */
const bodyBytesMax = 1_000;

const TokenBody = closedObject({ token: Type.String({ maxLength: 100 }) });

/**
 * Adds the routes of links, which come before a session. At `POST /v1/portal/link`, a person learns which agent has made a link. That spends
 * nothing. At `POST /v1/portal/open`, the link is spent, and its session begins. Our own page gets a cookie. Any other client gets a token, for an agent's own
 * pages. A link that does not work counts as a failed sign-in of its address.
 */
export function addPortalOpening(
  app: FastifyInstance,
  context: HttpContext,
  { bodies, failedSignIns }: { bodies: BodyBudgets; failedSignIns: FailedSignIns },
): void {
  const validate = validator(TokenBody);
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest) => readBody(request));
    const add = (
      path: string,
      answer: (token: string, request: FastifyRequest, reply: FastifyReply) => Promise<JsonObject>,
    ): void => {
      scope.post(
        path,
        {
          config: { public: true },
          onRequest: async (request, reply) => {
            request.apiRequest.bodyBytes = new BodyBytes(bodies, signInShare, request, reply);
          },
        },
        async (request, reply) => {
          const { apiRequest } = request;
          const body = request.body ?? {};
          validate(body);
          apiRequest.bodyBytes?.workBegins();
          const object = await answer((body as { token: string }).token, request, reply).catch((error: unknown) => {
            if (error instanceof ApiError && error.code === 'portal_session_invalid')
              failedSignIns.note(apiRequest.client);
            throw error;
          });
          apiRequest.bodyBytes?.workEnds(0);
          return send(reply, object);
        },
      );
    };
    add('/v1/portal/link', async (token) => {
      const { account_id: accountId, expires_at } = await pendingSession(context, token);
      return { object: 'portal_link', expires_at, account: await brandView(context, accountId) };
    });
    add('/v1/portal/open', async (linkToken, request, reply) => {
      const place = isFromPortal(request) ? requirePortalPlace(request, context.config) : null;
      const { record, token } = await openLink(context, request.apiRequest, linkToken);
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
 * @throws {ApiError} `portal_session_invalid`.
 */
async function pendingSession(
  { reader, readRecord, realClock }: HttpContext,
  linkToken: string,
): Promise<PortalSessionRecord> {
  const found = isLinkToken(linkToken) ? await findPortalLink(reader, hashToken(linkToken)) : null;
  const session = found && (await readRecord(portalSession, found.accountId, found.id));
  if (!session || statusOf(session, realSecondsOf({ realClock })) !== 'pending') throw portalSessionInvalid();
  const person = await readRecord(customer, session.account_id, session.customer);
  if (!person || isErased(person)) throw portalSessionInvalid();
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
  linkToken: string,
): Promise<{ record: PortalSessionRecord; token: string }> {
  const { readRecord, committer, randomBytes } = context;
  const session = await pendingSession(context, linkToken);
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

async function readBody(request: FastifyRequest): Promise<JsonObject> {
  const { bodyBytes } = request.apiRequest;
  const bytes = await receiveBytes(request.raw, bodyBytes);
  bodyBytes?.arrived(bytes.length);
  if (bytes.length > bodyBytesMax) throw new ApiError('body_too_large', 'The body has more than 1 kB. Send less.');
  if (bytes.length === 0) return {};
  const [mediaType = ''] = (headerOf(request, 'content-type') ?? '').split(/\s*;/, 1);
  if (mediaType.toLowerCase() !== 'application/json')
    throw new ApiError('content_type_unsupported', 'Send the body as `application/json`.');
  return parseJsonObject(bytes).value;
}

function send(reply: FastifyReply, object: JsonObject): FastifyReply {
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(object));
}
