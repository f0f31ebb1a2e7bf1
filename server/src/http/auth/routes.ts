import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { user as users } from '../../resources/people/user.ts';
import { hasExpired, realSecondsOf, type StoredSession } from '../../sign-in/sessions.ts';
import type { BodyBudgets } from '../body/body-bytes.ts';
import { sendUncached, takeSmallPosts } from '../body/small-posts.ts';
import type { HttpContext } from '../context.ts';
import { sessionOf } from '../pipeline/authenticate.ts';
import { isFromDashboard, isSafePlace, requireOwnOrigin, sessionTokenOf } from '../pipeline/browser.ts';
import type { FailedSignIns } from '../pipeline/rate-limit.ts';
import { refuse, type AuthCall } from './call.ts';
import {
  BeginDeviceBody,
  beginDeviceLogin,
  DecideDeviceBody,
  decideDeviceLogin,
  DeviceTokenBody,
  endDeviceKey,
  pickUpKey,
  ReadDeviceBody,
  readDeviceLogin,
  requireProgram,
  type ProgramCall,
} from './device.ts';
import {
  beginIdentitySignIn,
  BeginIdentityBody,
  finishIdentitySignIn,
  FinishIdentityBody,
  unlinkIdentity,
} from './identity-provider.ts';
import { readLink, ReadLinkBody, useLink, UseLinkBody } from './links.ts';
import {
  beginTotp,
  changeMe,
  CodeBody,
  confirm,
  ConfirmBody,
  EndBody,
  endSessions,
  endSessionsOfMember,
  finishTotp,
  listSessions,
  makeResetLink,
  MeBody,
  removeTotp,
  renewRecoveryCodes,
  signOut,
  UserBody,
  type OwnCall,
} from './own-account.ts';
import {
  beginPasskey,
  beginPasskeyConfirmation,
  beginPasskeySignIn,
  finishPasskey,
  listPasskeys,
  NewPasskeyBody,
  PasskeySignInBody,
  RemovedPasskeyBody,
  removePasskey,
  signInWithPasskey,
} from './passkeys.ts';
import { sessionObject } from './session-object.ts';
import { signIn, SignInBody } from './sign-in.ts';

const none = closedObject({});

/**
 * Adds the routes below `/auth`: the session of a person, and all that changes it. They need no key, accept only our own pages, and are not
 * part of the API. Their logs are the audit trail, without bodies. The sign-in of the command line is below `/auth/device`.
 */
export function addAuthRoutes(
  app: FastifyInstance,
  context: HttpContext,
  { bodies, failedSignIns }: { bodies: BodyBudgets; failedSignIns: FailedSignIns },
): void {
  void app.register(async (scope) => {
    const addPost = takeSmallPosts(scope, bodies);

    /** Adds a POST of our own pages. The handler returns a session's new token, or the object of the response. */
    function post<Body extends object>(
      path: string,
      schema: TObject,
      handle: (call: AuthCall<Body>) => Promise<string | JsonObject>,
    ): void {
      addPost(`/auth/${path}`, schema, async (request, reply, takeBody) => {
        const place = requirePlace(context, request);
        const result = await handle({ context, request: request.apiRequest, reply, place, body: takeBody() as Body });
        return typeof result === 'string' ? objectOfToken(context, result) : result;
      });
    }

    /** Adds a POST of the command line. */
    function ofProgram<Body extends object>(
      path: string,
      schema: TObject,
      handle: (call: ProgramCall<Body>) => Promise<JsonObject>,
    ): void {
      addPost(`/auth/${path}`, schema, async ({ apiRequest }, _, takeBody) => {
        requireProgram(apiRequest);
        return handle({ context, request: apiRequest, body: takeBody() as Body }).catch((error: unknown) => {
          if (error instanceof ApiError) failedSignIns.note(apiRequest.client);
          throw error;
        });
      });
    }

    /** Adds a POST of a person that is signed in. */
    function own<Body extends object>(
      path: string,
      schema: TObject,
      handle: (call: OwnCall<Body>) => Promise<string | JsonObject>,
    ): void {
      post<Body>(path, schema, async (call) => {
        const ownCall = await ownCallOf(call);
        return handle(ownCall).catch((error: unknown) => refuse(ownCall, ownCall.user, error));
      });
    }

    ofProgram('device/begin', BeginDeviceBody, beginDeviceLogin);
    // Without the dashboard, only the beginning has a route: it says why there is no sign-in.
    if (!context.config.hasDashboard) return;
    ofProgram('device/token', DeviceTokenBody, pickUpKey);
    ofProgram('device/end', none, endDeviceKey);

    scope.get('/auth/session', { config: { public: true } }, async (request, reply) => {
      requirePlace(context, request);
      const session = await sessionOf(request, context).catch(unlessSignedOut);
      return sendUncached(reply, await sessionObject(context, session));
    });
    scope.get('/auth/sessions', { config: { public: true } }, async (request, reply) => {
      const place = requirePlace(context, request);
      const call = { context, request: request.apiRequest, reply, place, body: {} };
      return sendUncached(reply, await listSessions(await ownCallOf(call)));
    });

    scope.get('/auth/passkeys', { config: { public: true } }, async (request, reply) => {
      const place = requirePlace(context, request);
      const call = { context, request: request.apiRequest, reply, place, body: {} };
      return sendUncached(reply, listPasskeys(await ownCallOf(call)));
    });

    post('sign_in', SignInBody, signIn);
    post('passkeys/sign_in/begin', none, beginPasskeySignIn);
    post('passkeys/sign_in/finish', PasskeySignInBody, signInWithPasskey);
    post('identity_provider/begin', BeginIdentityBody, beginIdentitySignIn);
    post('identity_provider/finish', FinishIdentityBody, async (call: Parameters<typeof finishIdentitySignIn>[0]) => {
      const { token, returnTo } = await finishIdentitySignIn(call);
      return { ...(await objectOfToken(context, token)), return_to: returnTo };
    });
    post('links/read', ReadLinkBody, readLink);
    post('links/use', UseLinkBody, useLink);
    own('sign_out', none, async (call) => {
      await signOut(call);
      return sessionObject(context, null);
    });
    own('confirm', ConfirmBody, confirm);
    own('me', MeBody, changeMe);
    own('sessions/end', EndBody, async (call: OwnCall<{ id?: string; others?: boolean }>) => {
      await endSessions(call);
      return listSessions(call);
    });
    own('totp/begin', none, beginTotp);
    own('totp/finish', CodeBody, async (call: OwnCall<{ code: string }>) => (await finishTotp(call)).object);
    own('totp/remove', none, removeTotp);
    own('recovery_codes', none, async (call) => (await renewRecoveryCodes(call)).object);
    own('device/read', ReadDeviceBody, readDeviceLogin);
    own('device/decide', DecideDeviceBody, decideDeviceLogin);
    own('passkeys/begin', none, beginPasskey);
    own('passkeys/finish', NewPasskeyBody, finishPasskey);
    own('passkeys/remove', RemovedPasskeyBody, removePasskey);
    own('passkeys/confirm/begin', none, beginPasskeyConfirmation);
    own('identity_provider/unlink', none, unlinkIdentity);
    own('users/reset_link', UserBody, makeResetLink);
    own('users/end_sessions', UserBody, async (call: OwnCall<{ user: string }>) => {
      await endSessionsOfMember(call);
      return { object: 'user', id: call.body.user };
    });
  });
}

/**
 * Requires a request of our own pages, over a connection that keeps a password secret.
 *
 * @throws {ApiError} `api_key_missing` or `origin_forbidden`.
 */
function requirePlace({ config }: HttpContext, request: FastifyRequest): AuthCall['place'] {
  if (!isFromDashboard(request))
    throw new ApiError('api_key_missing', 'Only the dashboard uses this path. Programs send an API key to `/v1`.');
  const place = requireOwnOrigin(request, config);
  if (isSafePlace(place)) return place;
  throw new ApiError(
    'origin_forbidden',
    `Passwords are not safe at http://${place.hostName}. Open the dashboard over https, and set TENURE_PUBLIC_URL to that address. On the machine itself, http://127.0.0.1 is safe.`,
  );
}

/** @throws {ApiError} `session_expired`. */
async function ownCallOf<Body>(call: AuthCall<Body>): Promise<OwnCall<Body>> {
  const { context, request, place } = call;
  const session = await sessionOf(request.incoming, context, { isCached: false });
  const { accountId, person } = session.principal;
  const user = person && (await context.readRecord(users, accountId, person.id));
  const token = sessionTokenOf(request.incoming, place);
  if (!user || token === null) throw new ApiError('session_expired', 'Your session has ended. Sign in again.');
  return { ...call, token, session, user };
}

/** Returns the session of a token that was made just now. */
async function objectOfToken(context: HttpContext, token: string): Promise<JsonObject> {
  const session = await context.sessionRing.getAnew(token);
  return sessionObject(context, session && !hasExpired(session, realSecondsOf(context)) ? session : null);
}

function unlessSignedOut(error: unknown): StoredSession | null {
  if (error instanceof ApiError && error.code === 'session_expired') return null;
  throw error;
}
