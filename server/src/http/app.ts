import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { toSeconds } from '../core/clock.ts';
import { findKnown } from '../core/arrays.ts';
import { ByteBudget } from '../core/limits/byte-budget.ts';
import type { Client } from '../core/limits/fair-queue.ts';
import { ApiError, ClientGoneError, type ErrorCode } from '../core/errors.ts';
import { currentSite } from '../core/addresses/current-site.ts';
import { siteOf } from '../core/addresses/network.ts';
import type { TraceParent } from '../core/tracing.ts';
import { maskSecretsInUrl } from '../core/secrets/mask-secrets.ts';
import { requireAccess, requireAccessAgain } from './pipeline/access.ts';
import { chooseAccount } from './pipeline/account-context.ts';
import { addAuthRoutes } from './auth/routes.ts';
import { authenticate } from './pipeline/authenticate.ts';
import { clientOf } from './pipeline/client-address.ts';
import type { JsonObject } from '../core/json-diff.ts';
import {
  BodyBytes,
  bodyBytesMax,
  bodyLimits,
  strangerLimits,
  unreadLimits,
  uploadBytes,
  uploadLimits,
  type BodyBudgets,
} from './body/body-bytes.ts';
import { BodyTime } from './body/body-time.ts';
import { checkBodyHeaders, readBody, uploadOf } from './body/body.ts';
import { EarlyBodies, waitWithoutBody } from './body/early-bodies.ts';
import { sendContents } from './response/download.ts';
import { BodyBrokenOffError, boundChunks } from './body/incoming-bytes.ts';
import { earlyBytesOf } from './parser.ts';
import { discardUpload, readUpload } from './body/upload.ts';
import { ConcurrencyLimit, importBounds, requestBounds, uploadBounds } from './pipeline/concurrency.ts';
import { executeWrite } from './write/execute.ts';
import { logOnly } from './write/log-only.ts';
import { repeatOfOtherVersion, type ExecutedWrite } from './write/replay.ts';
import { Connections } from './pipeline/connections.ts';
import { EventStreams } from './routes/sse.ts';
import { Expectations } from './pipeline/expectations.ts';
import { addDashboard } from './routes/pages/dashboard.ts';
import { addErrorPages } from './routes/pages/error-pages.ts';
import { addGuidePages } from './routes/pages/guide-pages.ts';
import { readExpansion } from './response/expand.ts';
import { apiErrorOf, errorResponse } from './response/errors.ts';
import { addMcp } from './mcp/endpoint.ts';
import { isInner } from './mcp/inner-request.ts';
import { addHealthRoutes } from './routes/health.ts';
import { checkHost } from './pipeline/host.ts';
import { KnownPaths } from './pipeline/known-paths.ts';
import { addMetricsRoute } from './routes/metrics.ts';
import { readIdempotencyKey, RecentKeys } from './write/idempotency.ts';
import { addPortal } from './routes/pages/portal.ts';
import { addProviderCallbacks } from './routes/provider-callbacks.ts';
import { FailedSignIns, RateLimit } from './pipeline/rate-limit.ts';
import { PagePace, RefusalPace } from './pipeline/refusal-pace.ts';
import { queryReader } from './body/query.ts';
import { suggestedOf, versionedQueryReader, versionedValidator } from './body/input.ts';
import { addReference } from './routes/pages/docs.ts';
import { addSharedFiles } from './shared-files/routes.ts';
import {
  anyBytes,
  type ContentsRoute,
  type OpenContents,
  type ReadRoute,
  type Route,
  type StreamRoute,
  type WriteRoute,
} from './route.ts';
import { routesOf } from './routes/resources.ts';
import { errorInVersion, requireServedVersion, settleVersion } from './pipeline/api-version.ts';
import {
  authenticated,
  receiveRequest,
  routed,
  type ApiRequest,
  type AuthenticatedRequest,
  type ReceivedRequest,
} from './request.ts';
import type { HttpContext } from './context.ts';
import { headerOf } from './headers.ts';
import { addPortalOpening, portalOpening } from './portal/open.ts';
import { portalRoutes } from './portal/routes.ts';
import type { Principal } from '../model/callers/principal.ts';
import { HeldResponses, whenClosed } from './response/held-responses.ts';
import { largeJson } from './response/large-json.ts';
import { uncountedBytes } from './read-memory.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Accepts no new requests, lets requests in flight finish for up to `timeoutMs`, and closes every connection. */
    stopServing(timeoutMs: number): Promise<void>;
  }
  interface FastifyRequest {
    apiRequest: ReceivedRequest;
  }
  interface FastifyContextConfig {
    /** The operation of the API. A route without one is refused unless it is public. */
    route?: Route;
    /** The route needs no key. */
    public?: true;
  }
}

/** Longer than any path within the header limit. So a long id is an unknown record, and not a routing error. */
const pathParameterLengthMax = 16 * 1024;

/**
 * Bytes of a body after which its connection is not read until code asks for more. A connection is read 64 kB at a time. So a request that
 * waits or is refused has one piece of its body in memory, and not two.
 */
const readAheadBytes = 16 * 1024;

/** Builds the HTTP server: the steps of the pipeline in their order, and the routes behind it. */
export function buildApp(context: HttpContext): FastifyInstance {
  const connections = new Connections(context);
  const isDelayed = (request: IncomingMessage): void => connections.isDelayed(request);
  const limits: Limits = {
    rateLimit: new RateLimit(context.config.rateLimit),
    failedSignIns: new FailedSignIns(),
    refusalPace: new RefusalPace(isDelayed),
    pagePace: new PagePace(isDelayed),
  };
  const requestsInFlight = new ConcurrencyLimit(requestBounds);
  const uploads = new ConcurrencyLimit(uploadBounds);
  const imports = new ConcurrencyLimit(importBounds);
  const { memory } = context;
  const bodies: BodyBudgets = {
    arriving: new ByteBudget(bodyLimits, memory),
    unread: new ByteBudget(unreadLimits, memory),
  };
  const ofStrangers: BodyBudgets = {
    ...bodies,
    // Accounts that fill the ceiling must not keep people from signing in.
    arriving: new ByteBudget(strangerLimits),
    cutOffable: new Set(),
  };
  const forms: BodyBudgets = { ...bodies, arriving: new ByteBudget(uploadLimits, memory) };
  context.metrics.holdsBytes('requests', bodies.arriving);
  context.metrics.holdsBytes('keyless', ofStrangers.arriving);
  context.metrics.holdsBytes('answers', bodies.unread);
  context.metrics.holdsBytes('uploads', forms.arriving);
  const earlyBodies = new EarlyBodies();
  context.metrics.holdsBytes('early', earlyBodies.bytes);
  const streams = new EventStreams(context);
  const app = fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    requestTimeout: context.arrivalLimits.uploadMs,
    connectionTimeout: context.readLimits.stalledMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // Slow clients are disconnected: headers must arrive within the time of `arrivalLimits`, the body within those of `BodyTime`.
    http: {
      // `checkHost` requires it, with an error like any other.
      requireHostHeader: false,
      headersTimeout: context.arrivalLimits.headMs,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16_384,
      highWaterMark: readAheadBytes,
    },
    routerOptions: {
      maxParamLength: pathParameterLengthMax,
      // Routes read the query when they know the client. Parsing thousands of names takes a millisecond.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) =>
      void refuseUnroutable(context, request, reply, error, { connections, limits, earlyBodies }),
    clientErrorHandler: (error, socket) => connections.refuse(error, socket),
  });
  const expectations = new Expectations();
  expectations.watch(app.server);
  connections.watch(app.server);
  app.server.on('request', boundChunks);
  app.decorateRequest('apiRequest');
  const isWorker = context.config.role === 'worker';
  const paths = new KnownPaths({ isWorker });
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.public) paths.addPage(method, url);
    else if (config?.route) paths.add(method, url);
  });

  const inFlight = { requests: 0 };
  /** Finds the principal of a request, its version, and room for it. Every request with a key passes. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<AuthenticatedRequest> => {
    const { apiRequest: received } = request;
    const known = await earlyBodies.hold(request.raw, received.client, async () => {
      const identified = await identify(context, received, limits.failedSignIns).catch((error: unknown) => {
        connections.isOfStranger(request.raw);
        throw error;
      });
      await settleVersion(context, identified);
      return identified;
    });
    if (!isInner(request.raw)) limits.rateLimit.check(known.principal, reply);
    whenClosed(reply, requestsInFlight.begin(known.payer));
    connections.isOfTree(request.raw, known.payer.rootId);
    return known;
  };
  app.addHook('onRequest', async (request, reply) => {
    inFlight.requests++;
    const { ended, traceParent } = observe(context, request, reply);
    // This event comes even if the client disconnects before its response.
    reply.raw.once('close', () => {
      inFlight.requests--;
      ended();
    });
    const turn = connections.turnOf(reply.raw);
    if (turn) await turn;
    // The connection was closed: by the client, or because of too many requests at once.
    if (request.raw.socket.destroyed) return reply.hijack();
    const bodyTime = new BodyTime(app, request, context.arrivalLimits.bodyMs);
    const client = clientOf(request.raw, context.config.trustedProxies);
    const received = receiveRequest(context, request, client, traceParent);
    request.apiRequest = received;
    connections.begin(request.raw, client);
    checkHost(request.raw);
    const { config } = request.routeOptions;
    if (config.public) {
      await limits.pagePace.hold(received, reply);
      return request.raw.socket.destroyed ? reply.hijack() : undefined;
    }
    if (!config.route && !paths.isApi(request.url)) {
      await limits.pagePace.hold(received, reply);
      if (paths.respondForPage(request, reply)) return reply;
      throw paths.refusalOf(request);
    }
    const known = await admit(request, reply);
    if (!config.route || hasEmptyId(request)) throw paths.refusalOf(request);
    received.route = config.route;
    requireServedVersion(known);
    const account = await earlyBodies.hold(request.raw, client, () => chooseAccount(context, known));
    const apiRequest = routed(known, config.route, account);
    apiRequest.hasServiceContext = !known.principal.renter && headerOf(request, 'service-context') !== undefined;
    requireAccess(apiRequest);
    if (apiRequest.route.method === 'GET') {
      if (earlyBytesOf(request.raw) > 0)
        void waitWithoutBody(request.raw, () => new Promise((resolve) => whenClosed(reply, resolve)));
      return;
    }
    checkBodyHeaders(apiRequest);
    const upload = uploadOf(apiRequest);
    if (upload) {
      const isImport = upload.prefix === null;
      if (isImport) whenClosed(reply, imports.begin(apiRequest.payer));
      whenClosed(reply, uploads.begin(apiRequest.payer));
      // An import has its whole file in memory.
      const bytes = uploadBytes + (isImport ? upload.contents.bytesMax : 0);
      apiRequest.bodyBytes = new BodyBytes(forms, apiRequest.payer, request, reply, bytes);
      bodyTime.extend(context.arrivalLimits.uploadMs);
    } else {
      apiRequest.bodyBytes = new BodyBytes(bodies, apiRequest.payer, request, reply);
    }
  });
  app.addHook('onRequest', async (request, reply) => expectations.askForBody(request, reply));
  app.addHook('preHandler', ({ routeOptions, apiRequest }, _, handle) => {
    if (routeOptions.config.public) currentSite.run(siteOf(apiRequest.client.address ?? ''), handle);
    else handle();
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest) => readBody(request.apiRequest, context.secretMembers));
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, form: IncomingMessage) =>
    readUpload(context, routedOf(request), uploadOf(request.apiRequest)!, form),
  );

  app.setErrorHandler((error, request, reply) => sendError(context, request, reply, error, limits));
  app.setNotFoundHandler(unreachable);
  app.addHook('onSend', async (request, reply) => {
    stamp(reply, request.apiRequest);
    // A stopping server asks its clients to reconnect.
    if (!app.server.listening) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    logLine(context, request.apiRequest, reply);
    // A connection that stays open keeps its last request.
    request.body = null;
    request.apiRequest.bodyText = null;
    request.apiRequest.file = null;
  });
  app.decorate('stopServing', async (timeoutMs: number) => {
    // Clients of streams reconnect to another process.
    streams.endAll();
    const closed = app.close();
    const startedMs = performance.now();
    while (inFlight.requests > 0 && performance.now() - startedMs < timeoutMs) await delay(10);
    // The remaining connections are idle, or have waited long enough.
    app.server.closeAllConnections();
    await closed;
  });

  if (!isWorker) {
    const ofStrangersContext: HttpContext = { ...context, reader: context.strangersReader };
    const routes = routesOf(context);
    const responses = new HeldResponses(context.readBudgets, context.readLimits);
    const ofPortal = portalRoutes(context);
    addRoutes(app, context, { streams, responses }, [...routes, ...ofPortal]);
    addPortalOpening(app, ofStrangersContext, { bodies: ofStrangers, failedSignIns: limits.failedSignIns });
    addReference(app, context, routes, { routes: ofPortal, opening: portalOpening });
    const guides = addGuidePages(app, context);
    addMcp(app, context, { routes, guides, bodies, admit });
    addAuthRoutes(app, ofStrangersContext, { bodies: ofStrangers, failedSignIns: limits.failedSignIns });
    if (context.config.hasDashboard) {
      const frames = { rateLimit: limits.rateLimit, requestsInFlight, responses };
      addDashboard(
        app,
        context,
        frames,
        findKnown(routes, ({ operationId }) => operationId === 'files_contents') as ContentsRoute,
      );
    }
    addPortal(app, context);
    addSharedFiles(app, ofStrangersContext, {
      bodies: ofStrangers,
      failedSignIns: limits.failedSignIns,
      requestsInFlight,
      responses,
    });
    addProviderCallbacks(app, ofStrangersContext, { bodies: ofStrangers, failedSignIns: limits.failedSignIns });
  }
  addHealthRoutes(app, context);
  addMetricsRoute(app, context, limits.failedSignIns);
  addErrorPages(app, context);
  return app;
}

/** Rate limits of one account or one address. */
interface Limits {
  rateLimit: RateLimit;
  failedSignIns: FailedSignIns;
  refusalPace: RefusalPace;
  pagePace: PagePace;
}

/** Refuses a path that cannot be decoded. As everywhere, authentication comes first. */
async function refuseUnroutable(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { connections, limits, earlyBodies }: { connections: Connections; limits: Limits; earlyBodies: EarlyBodies },
): Promise<void> {
  const { ended, traceParent } = observe(context, request, reply);
  reply.raw.once('close', ended);
  const client = clientOf(request.raw, context.config.trustedProxies);
  request.apiRequest = receiveRequest(context, request, client, traceParent);
  connections.begin(request.raw, client);
  let fault = error;
  try {
    const known = await earlyBodies.hold(request.raw, client, async () => {
      const identified = await identify(context, request.apiRequest, limits.failedSignIns);
      await settleVersion(context, identified);
      return identified;
    });
    limits.rateLimit.check(known.principal, reply);
  } catch (unidentified) {
    fault = unidentified;
  }
  // No hook runs for such a request.
  stamp(reply, request.apiRequest);
  await sendError(context, request, reply, fault, limits);
}

/** @throws {ApiError} 401, or 429 after too many invalid keys. */
async function identify(
  context: HttpContext,
  received: ReceivedRequest,
  failedSignIns: FailedSignIns,
): Promise<AuthenticatedRequest> {
  try {
    const principal = await authenticate(received.incoming, context);
    noteUse(context, principal, received.startedMs);
    return authenticated(received, principal);
  } catch (error) {
    if (error instanceof ApiError) failedSignIns.note(received.client);
    throw error;
  }
}

/** Notes the use of a key by the deployment's clock, and that of a session by the world's. */
function noteUse(
  { keyUses, sessionUses, portalUses, realClock }: HttpContext,
  principal: Principal,
  startedMs: number,
): void {
  const { person, renter, accountId } = principal;
  if (renter) return portalUses.note({ accountId, id: renter.sessionId }, toSeconds(realClock.nowMs()));
  if (person) sessionUses.note({ accountId, id: person.sessionId }, toSeconds(realClock.nowMs()));
  else keyUses.note(principal, toSeconds(startedMs));
}

/** Returns the request of a handler. No handler runs before the request has its route and its account. */
function routedOf({ apiRequest }: FastifyRequest): ApiRequest {
  if (!apiRequest.account) throw new Error('Bug! The pipeline lets no request without an account pass.');
  return apiRequest as ApiRequest;
}

/** Parts that routes share. */
interface Shared {
  streams: EventStreams;
  responses: HeldResponses;
}

function addRoutes(app: FastifyInstance, context: HttpContext, shared: Shared, routes: Route[]): void {
  const recentKeys = new RecentKeys();
  for (const route of routes) {
    app.route({
      method: methodsOf(route),
      url: route.path,
      config: { route },
      handler: handlerOf(context, shared, recentKeys, route),
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const method = methodsBeside(path, routes);
    if (method.length > 0) app.route({ method, url: path, handler: unreachable });
  }
}

function methodsOf(route: Route): string[] {
  return route.method === 'GET' && !('subscribe' in route) ? ['GET', 'HEAD'] : [route.method];
}

/**
 * Returns the methods that a path such as `/v1/events/stream` does not have, and `/v1/events/:id` has. Without a route, the last part of the
 * path would be read as an id.
 */
function methodsBeside(path: string, routes: readonly Route[]): string[] {
  const methodsAt = (wanted: string): string[] => routes.filter((route) => route.path === wanted).flatMap(methodsOf);
  const own = methodsAt(path);
  return path.endsWith('/:id')
    ? []
    : methodsAt(path.replace(/[^/]+$/, ':id')).filter((method) => !own.includes(method));
}

/** Returns whether an id is empty: for `/v1/references/`, the router reads the empty text behind the slash as an id. */
function hasEmptyId({ params }: FastifyRequest): boolean {
  return Object.values(params as Record<string, string>).includes('');
}

function handlerOf(context: HttpContext, { streams, responses }: Shared, recentKeys: RecentKeys, route: Route) {
  if (route.method !== 'GET') return writeHandler(context, recentKeys, route);
  if ('subscribe' in route) return streamHandler(context, streams, route);
  return 'open' in route ? contentsHandler(context, responses, route) : readHandler(context, responses, route);
}

function unreachable(): never {
  throw new Error('Bug! The pipeline lets no unknown route pass.');
}

function streamHandler(context: HttpContext, streams: EventStreams, route: StreamRoute) {
  const readQuery = versionedQueryReader(context.versions, route);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const apiRequest = routedOf(request);
    const { query, expand } = readQuery(apiRequest.version, request.url);
    readExpansion(context, apiRequest, route.expandable, expand);
    return streams.begin(apiRequest, reply, () => route.subscribe(apiRequest, query));
  };
}

function contentsHandler(context: HttpContext, responses: HeldResponses, route: ContentsRoute) {
  const readQuery = queryReader(route.query, route.requiredQuery);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const apiRequest = routedOf(request);
    const { query, expand } = readQuery(request.url);
    readExpansion(context, apiRequest, route.expandable, expand);
    return download(context, responses, request, reply, (client) => route.open(apiRequest, query, client));
  };
}

async function download(
  context: HttpContext,
  responses: HeldResponses,
  request: FastifyRequest,
  reply: FastifyReply,
  open: (client: Client) => Promise<OpenContents>,
): Promise<FastifyReply> {
  const apiRequest = routedOf(request);
  const contents = await responses.download(apiRequest, reply, async (client) => {
    // The download may have waited for room, so check the access again.
    await requireAccessAgain(apiRequest, context);
    return open(client);
  });
  const isHead = request.raw.method === 'HEAD';
  const asBytes = headerOf(request, 'accept')?.trim().toLowerCase() === anyBytes;
  return sendContents(reply, contents, { isHead, asBytes, stalledMs: context.readLimits.stalledMs });
}

function readHandler(context: HttpContext, responses: HeldResponses, route: ReadRoute) {
  const { versions } = context;
  const { asFile } = route;
  const readQuery = versionedQueryReader(versions, route);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const apiRequest = routedOf(request);
    const { query, expand } = readQuery(apiRequest.version, request.url);
    apiRequest.expansion = readExpansion(context, apiRequest, route.expandable, expand);
    try {
      if (asFile && query.format === asFile.format)
        return await download(context, responses, request, reply, (client) => asFile.open(apiRequest, query, client));
      const body = await responses.read(apiRequest, reply, async () => {
        // The read may have waited for room, so check the access again.
        await requireAccessAgain(apiRequest, context);
        const newest = await route.read(apiRequest, query);
        // PostgreSQL may have held up the read for longer than a revocation waits, so check once more.
        await requireAccessAgain(apiRequest, context);
        const object = versions.convert(newest, versions.newest, apiRequest.version);
        const { usedBytes } = apiRequest.memory!;
        return usedBytes > uncountedBytes ? largeJson(object, usedBytes) : JSON.stringify(object);
      });
      return await send(reply, { status: 200, body });
    } catch (error) {
      throw error instanceof ApiError ? errorInVersion(versions, error, route.object, apiRequest.version) : error;
    }
  };
}

function writeHandler(context: HttpContext, recentKeys: RecentKeys, route: WriteRoute) {
  const readQuery = queryReader(route.query, [], suggestedOf(route));
  const validate = versionedValidator(context.versions, route);

  async function carryOutOrRepeat(apiRequest: ApiRequest, body: JsonObject): Promise<ExecutedWrite> {
    const { incoming } = apiRequest;
    // The body may have arrived slowly, so check the access and the account again.
    await requireAccessAgain(apiRequest, context);
    apiRequest.account = await chooseAccount(context, apiRequest);
    const { expand } = readQuery(incoming.url);
    try {
      apiRequest.expansion = readExpansion(context, apiRequest, route.expandable, expand);
      validate(apiRequest.version, body);
      apiRequest.idempotencyKey = readIdempotencyKey(incoming);
    } catch (refusal) {
      const repeated = await repeatOfOtherVersion(context, apiRequest, route, { expand, body });
      if (repeated) return repeated;
      throw refusal;
    }
    return executeWrite(context, recentKeys, apiRequest, route, body);
  }

  // The parsers above return objects only.
  return async (request: FastifyRequest<{ Body?: JsonObject }>, reply: FastifyReply) => {
    const apiRequest = routedOf(request);
    apiRequest.bodyBytes?.workBegins();
    const { response, replayed } = await carryOutOrRepeat(apiRequest, request.body ?? {}).catch(
      async (error: unknown) => {
        // After any other error, the file may exist.
        if (error instanceof ApiError) await discardUpload(context, apiRequest);
        throw error;
      },
    );
    apiRequest.bodyBytes?.workEnds(Buffer.byteLength(response.body));
    if (replayed ?? response.error) await discardUpload(context, apiRequest);
    if (response.error) context.metrics.requests.refused(response.error.code);
    if (replayed) {
      apiRequest.version = replayed.apiVersion;
      reply.header('idempotent-replayed', 'true').header('original-request', replayed.requestId);
    }
    return send(reply, response);
  };
}

const otherRequestHasKey: ReadonlySet<ErrorCode> = new Set(['idempotency_key_in_use', 'idempotency_key_reused']);

async function sendError(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { refusalPace }: Limits,
): Promise<FastifyReply> {
  const { apiRequest } = request;
  // The client has closed the connection.
  if (error instanceof BodyBrokenOffError || error instanceof ClientGoneError) {
    apiRequest.bodyBytes?.workEnds(0);
    return reply.hijack();
  }
  // The log of the refusal needs the body.
  apiRequest.bodyBytes?.workBegins();
  const apiError = apiErrorOf(error, apiRequest);
  if (apiError.code === 'internal') context.log.error({ request: apiRequest.id, err: error }, 'a request failed');
  context.metrics.requests.refused(apiError.code);
  const logged = isLogged(apiRequest, apiError.status) ? apiRequest : null;
  const response = errorResponse(apiError, apiRequest.id, context.config, { isLogged: logged !== null });
  // Another request has the key, and with that the body. Nothing would link this copy to the person whom it is about.
  if (otherRequestHasKey.has(apiError.code)) apiRequest.bodyText = null;
  if (logged) {
    const write = (): Promise<void> =>
      logOnly(context, logged, async () => response).catch((cause: unknown) => {
        context.log.warn({ request: apiRequest.id, err: cause }, 'a refused request could not be logged');
      });
    await waitWithoutBody(request.raw, write);
  }
  apiRequest.bodyBytes?.workEnds(0);
  await refusalPace.hold(apiError, apiRequest, reply);
  // The framework would disconnect a client that is still sending, before it can read the response.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  if (apiError.allow !== undefined) reply.header('allow', apiError.allow);
  if (apiError.retryAfterSeconds !== undefined) reply.header('retry-after', String(apiError.retryAfterSeconds));
  return send(reply, response, apiError.shouldRetry);
}

/** Returns whether a request is logged: POST and DELETE requests, except for errors that clients retry. */
function isLogged(apiRequest: ReceivedRequest, status: number): apiRequest is AuthenticatedRequest {
  return (
    apiRequest.principal !== null &&
    ['POST', 'DELETE'].includes(apiRequest.incoming.method) &&
    ![401, 429, 503].includes(status)
  );
}

function send(
  reply: FastifyReply,
  response: { status: number; body: string | Buffer },
  shouldRetry = isPassing(response.status),
): FastifyReply {
  reply
    .code(response.status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store');
  if (response.status >= 400) reply.header('service-should-retry', String(shouldRetry));
  return reply.send(response.body);
}

/** Counts the start of a request in the metrics, and begins its span. The function `ended` does the same at its end. */
function observe(
  { metrics, tracing }: HttpContext,
  request: FastifyRequest,
  { raw }: FastifyReply,
): { ended: () => void; traceParent: TraceParent | null } {
  const startedMs = performance.now();
  metrics.requests.began();
  const { method } = request;
  const route = request.routeOptions.url;
  const span =
    tracing && !untracedPages.has(route)
      ? tracing.beginRequest({ method, traceParent: headerOf(request, 'traceparent') })
      : null;
  const ended = (): void => {
    const status = raw.writableFinished ? raw.statusCode : null;
    metrics.requests.ended({ method, route, status, durationMs: performance.now() - startedMs });
    // The request has none yet if the client disconnected before its turn.
    const known = request.apiRequest as ReceivedRequest | undefined;
    span?.end({ id: known?.id, accountId: known?.accountId, route, status });
  };
  return { ended, traceParent: span?.position ?? null };
}

/** Pages that machines read every few seconds. */
const untracedPages = new Set<string | undefined>(['/healthz', '/readyz', '/metrics']);

/** Sets the headers of every response. */
function stamp(reply: FastifyReply, apiRequest: ReceivedRequest): void {
  reply.header('request-id', apiRequest.id).header('service-version', apiRequest.version);
}

/** Returns whether a retry may get another response. The response of a stored 500 never changes. */
function isPassing(status: number): boolean {
  return [409, 429, 503].includes(status);
}

/** Logs one line per request. The usual two lines would take as much time as all other work of the server. */
function logLine({ log }: HttpContext, apiRequest: ReceivedRequest, reply: FastifyReply): void {
  const [path = ''] = apiRequest.incoming.url.split('?', 1);
  log.info({
    request: apiRequest.id,
    method: apiRequest.incoming.method,
    path: maskSecretsInUrl(path),
    status: reply.statusCode,
    // The deployment's clock can be moved meanwhile.
    ms: Math.round(reply.elapsedTime),
    key: apiRequest.principal?.key?.id,
    user: apiRequest.principal?.person?.id,
  });
}
