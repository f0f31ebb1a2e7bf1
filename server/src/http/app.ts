import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { toSeconds } from '../core/clock.ts';
import { ByteBudget } from '../core/byte-budget.ts';
import { ApiError } from '../core/errors.ts';
import { chooseAccount, requireOwnAccount } from './pipeline/account-context.ts';
import { authenticate, authenticateAgain } from './pipeline/authenticate.ts';
import { BodyBytes, bodyLimits } from './body/body-bytes.ts';
import { BodyTime } from './body/body-time.ts';
import { bodyBytesMax, bodyFault, checkBodyHeaders, readBody, uploadOf } from './body/body.ts';
import { sendContents } from './response/download.ts';
import { discardUpload, readUpload } from './body/upload.ts';
import { UnderWay, uploadBounds } from './pipeline/concurrency.ts';
import { headerOf, newCall, type Call, type HttpContext } from './request.ts';
import { carryOut, logOnly, repeatOfOtherVersion, type CarriedOut } from './write/execute.ts';
import { Connections } from './pipeline/connections.ts';
import { EventStreams } from './routes/sse.ts';
import { Expectations } from './pipeline/expectations.ts';
import { addErrorPages } from './routes/error-pages.ts';
import { readExpansion } from './response/expand.ts';
import { apiErrorOf, errorAnswer } from './response/errors.ts';
import { addHealthRoutes } from './routes/health.ts';
import { checkHost } from './pipeline/host.ts';
import { KnownPaths } from './pipeline/known-paths.ts';
import { addMetricsRoute } from './routes/metrics.ts';
import { readIdempotencyKey, RunningKeys } from './write/idempotency.ts';
import { requirePermission } from './pipeline/permission.ts';
import { addProviderCallbacks } from './routes/provider-callbacks.ts';
import { FailedSignIns, RateLimit } from './pipeline/rate-limit.ts';
import { queryReader } from './body/query.ts';
import { HeldResponses } from './response/read-room.ts';
import { versionedQueryReader, versionedValidator } from './body/input.ts';
import { addReference } from './routes/docs.ts';
import type { ContentsRoute, ReadRoute, Route, StreamRoute, WriteRoute } from './route.ts';
import { routesOf } from './routes/resources.ts';
import { errorInVersion, requireServedVersion, settleVersion } from './pipeline/api-version.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Takes no new requests, lets those in flight finish for up to `timeoutMs`, and closes every connection. */
    stopServing(timeoutMs: number): Promise<void>;
  }
  interface FastifyRequest {
    call: Call;
  }
  interface FastifyContextConfig {
    /** The API's operation; every route that has none and is not public is refused. */
    route?: Route;
    /** Needs no key. */
    public?: true;
  }
}

/** Longer than any path that a client can send within the header limit, so that a long id is unknown and not an error. */
const pathParameterLengthMax = 16 * 1024;

/** Ten megabytes over a slow line. */
const uploadTimeoutMs = 60_000;

/** The server's HTTP side: the pipeline every request goes through, in its order, and the routes behind it. */
export function buildApp(context: HttpContext): FastifyInstance {
  const limits: Limits = {
    rateLimit: new RateLimit(context.config.rateLimit),
    failedSignIns: new FailedSignIns(),
  };
  const uploads = new UnderWay(uploadBounds);
  const bodies = new ByteBudget(bodyLimits);
  context.metrics.holdsBytes('requests', bodies);
  const streams = new EventStreams(context);
  const connections = new Connections(context);
  const app = fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    requestTimeout: uploadTimeoutMs,
    connectionTimeout: context.readLimits.stalledMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // Whoever sends slowly is cut off: headers within ten seconds, the body within the times of `BodyTime`.
    http: {
      // `checkHost` does, with an error like any other.
      requireHostHeader: false,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16_384,
    },
    routerOptions: { maxParamLength: pathParameterLengthMax },
    frameworkErrors: (error, request, reply) => void refuseUnroutable(context, request, reply, error, limits),
    clientErrorHandler: (error, socket) => connections.refuse(error, socket),
  });
  const expectations = new Expectations();
  expectations.watch(app.server);
  connections.watch(app.server);
  app.decorateRequest('call');
  const isWorker = context.config.role === 'worker';
  const paths = new KnownPaths({ isWorker });
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.public) paths.addPage(method, url);
    else if (config?.route) paths.add(method, url);
  });

  const inFlight = { requests: 0 };
  app.addHook('onRequest', async (request, reply) => {
    inFlight.requests++;
    const ended = observe(context, request, reply);
    // Also when the client goes away before its answer.
    reply.raw.once('close', () => {
      inFlight.requests--;
      ended();
    });
    const bodyTime = new BodyTime(app, request);
    const call = newCall(context, request);
    request.call = call;
    checkHost(request.raw);
    const { config } = request.routeOptions;
    if (config.public) return;
    if (!config.route && !paths.isApi(request.url)) {
      if (paths.answerForPage(request, reply)) return reply;
      throw paths.refusalOf(request);
    }
    await identify(context, call, limits.failedSignIns).catch((error: unknown) => {
      connections.isOfStranger(request.raw);
      throw error;
    });
    call.accountId = call.key!.accountId;
    await settleVersion(context, call);
    limits.rateLimit.check(call.accountId, reply);
    if (!config.route || hasEmptyId(request)) throw paths.refusalOf(request);
    call.route = config.route;
    requireServedVersion(call);
    call.account = await chooseAccount(context, call);
    call.accountId = call.account.id;
    call.withContext = headerOf(request, 'service-context') !== undefined;
    requirePermission(call.route.permission, call.key!.permissions);
    requireOwnAccount(call);
    if (call.route.method !== 'GET') checkBodyHeaders(call);
    if (uploadOf(call)) {
      // Whose key it is, and not for whom it acts: as for the rate limit.
      const end = uploads.begin(call.key!.accountId);
      // The client may have gone away before.
      if (reply.raw.closed) end();
      else reply.raw.once('close', end);
      bodyTime.extend(uploadTimeoutMs);
    } else if (call.route.method !== 'GET') {
      call.bodyBytes = new BodyBytes(bodies, call.key!.accountId, request, reply);
    }
  });
  app.addHook('onRequest', async (request, reply) => expectations.askForBody(request, reply));

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, readBody(request.call, bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, form: Readable) =>
    readUpload(context, request.call, uploadOf(request.call)!, form),
  );

  app.setErrorHandler((error, request, reply) => sendError(context, request, reply, error));
  app.setNotFoundHandler(unreachable);
  app.addHook('onSend', async (request, reply) => {
    stamp(reply, request.call);
    // A server that stops asks its clients to come back on another connection.
    if (!app.server.listening) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => logLine(context, request.call, reply));
  app.decorate('stopServing', async (timeoutMs: number) => {
    // Their clients come back, to another process or when there is one again.
    streams.endAll();
    const closed = app.close();
    const startedMs = performance.now();
    while (inFlight.requests > 0 && performance.now() - startedMs < timeoutMs) await delay(10);
    // Those that are left wait for nothing of ours, or have waited long enough.
    app.server.closeAllConnections();
    await closed;
  });

  if (!isWorker) {
    const routes = routesOf(context);
    addRoutes(app, context, { streams, responses: new HeldResponses(context.readBudgets, context.readLimits) }, routes);
    addReference(app, context, routes);
    addProviderCallbacks(app, context, { bodies, failedSignIns: limits.failedSignIns });
  }
  addHealthRoutes(app, context);
  addMetricsRoute(app, context, limits.failedSignIns);
  addErrorPages(app);
  return app;
}

/** What bounds how much one account, or one address, can ask for. */
interface Limits {
  rateLimit: RateLimit;
  failedSignIns: FailedSignIns;
}

/** A path that cannot be decoded has no route; whose request it is comes first all the same. */
async function refuseUnroutable(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { failedSignIns, rateLimit }: Limits,
): Promise<void> {
  request.call = newCall(context, request);
  reply.raw.once('close', observe(context, request, reply));
  let fault = error;
  try {
    await identify(context, request.call, failedSignIns);
    request.call.accountId = request.call.key!.accountId;
    await settleVersion(context, request.call);
    rateLimit.check(request.call.accountId, reply);
  } catch (unidentified) {
    fault = unidentified;
  }
  // No hook runs for it.
  stamp(reply, request.call);
  await sendError(context, request, reply, fault);
}

/** @throws {ApiError} 401, or 429 where too many keys were tried out. */
async function identify(context: HttpContext, call: Call, failedSignIns: FailedSignIns): Promise<void> {
  const { keyRing, clock, config, keyUses } = context;
  const address = call.request.socket.remoteAddress;
  try {
    call.key = await authenticate(call.request, keyRing, { mode: config.mode, clock });
  } catch (error) {
    if (error instanceof ApiError) failedSignIns.note(address);
    throw error;
  }
  keyUses.note(call.key, toSeconds(call.startedMs));
}

/** What routes share. */
interface Shared {
  streams: EventStreams;
  responses: HeldResponses;
}

function addRoutes(app: FastifyInstance, context: HttpContext, shared: Shared, routes: Route[]): void {
  const runningKeys = new RunningKeys();
  for (const route of routes) {
    const isStream = 'follow' in route;
    app.route({
      method: route.method === 'GET' && !isStream ? ['GET', 'HEAD'] : route.method,
      url: route.path,
      config: { route },
      handler: handlerOf(context, shared, runningKeys, route),
    });
    // Without it the last part of a stream's path would be taken for an id.
    if (isStream) app.route({ method: 'HEAD', url: route.path, handler: unreachable });
  }
}

/** `/v1/references/` is no path to a record: the router takes the empty text behind the slash for an id. */
function hasEmptyId({ params }: FastifyRequest): boolean {
  return Object.values(params as Record<string, string>).includes('');
}

function handlerOf(context: HttpContext, { streams, responses }: Shared, runningKeys: RunningKeys, route: Route) {
  if (route.method !== 'GET') return writeHandler(context, runningKeys, route);
  if ('follow' in route) return streamHandler(context, streams, route);
  return 'open' in route ? contentsHandler(context, responses, route) : readHandler(context, responses, route);
}

function unreachable(): never {
  throw new Error('Bug! The pipeline lets no unknown route pass.');
}

function streamHandler(context: HttpContext, streams: EventStreams, route: StreamRoute) {
  const readQuery = versionedQueryReader(context.versions, route);
  return async ({ call, url }: FastifyRequest, reply: FastifyReply) => {
    const { query, expand } = readQuery(call.version, url);
    readExpansion(context, call, route.expandable, expand);
    return streams.begin(call, reply, () => route.follow(call, query));
  };
}

function contentsHandler({ readLimits }: HttpContext, responses: HeldResponses, route: ContentsRoute) {
  const readQuery = queryReader(route.query);
  return async ({ call, url }: FastifyRequest, reply: FastifyReply) => {
    readQuery(url);
    await responses.download(call, reply);
    const isHead = call.request.method === 'HEAD';
    return sendContents(reply, await route.open(call), { isHead, stalledMs: readLimits.stalledMs });
  };
}

function readHandler(context: HttpContext, responses: HeldResponses, route: ReadRoute) {
  const { versions } = context;
  const readQuery = versionedQueryReader(versions, route);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { call } = request;
    const { query, expand } = readQuery(call.version, request.url);
    call.expansion = readExpansion(context, call, route.expandable, expand);
    try {
      const body = await responses.read(call, reply, async () =>
        JSON.stringify(versions.convert(await route.read(call, query), versions.newest, call.version)),
      );
      return await send(reply, { status: 200, body });
    } catch (error) {
      throw error instanceof ApiError ? errorInVersion(versions, error, route.object, call.version) : error;
    }
  };
}

function writeHandler(context: HttpContext, runningKeys: RunningKeys, route: WriteRoute) {
  const readQuery = queryReader(route.query);
  const validate = versionedValidator(context.versions, route);

  async function carryOutOrRepeat(call: Call, body: object): Promise<CarriedOut> {
    const { request } = call;
    // The body may have come slowly. What is known of key and account is looked at once more, and is mostly the same.
    call.key = await authenticateAgain(call, context.keyRing, context.clock);
    call.account = await chooseAccount(context, call);
    const { expand } = readQuery(request.url);
    try {
      call.expansion = readExpansion(context, call, route.expandable, expand);
      validate(call.version, body);
      call.idempotencyKey = readIdempotencyKey(request);
    } catch (refusal) {
      const repeated = await repeatOfOtherVersion(context, call, route, { expand, body });
      if (repeated) return repeated;
      throw refusal;
    }
    return carryOut(context, runningKeys, call, route, body);
  }

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { call } = request;
    call.bodyBytes?.workBegins();
    const { answer, replayed } = await carryOutOrRepeat(call, request.body ?? {}).catch(async (error: unknown) => {
      // Of anything else it is not known whether the file was made.
      if (error instanceof ApiError) await discardUpload(context, call);
      throw error;
    });
    call.bodyBytes?.workEnds(Buffer.byteLength(answer.body));
    if (replayed ?? answer.error) await discardUpload(context, call);
    if (answer.error) context.metrics.requests.refused(answer.error.code);
    if (replayed) {
      call.version = replayed.apiVersion;
      reply.header('idempotent-replayed', 'true').header('original-request', replayed.requestId);
    }
    return send(reply, answer);
  };
}

async function sendError(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  const { call } = request;
  // Its log has the body, too.
  call.bodyBytes?.workBegins();
  const apiError = apiErrorOf(bodyFault(call, error), call);
  if (apiError.code === 'internal') context.log.error({ request: call.id, err: error }, 'a request failed');
  context.metrics.requests.refused(apiError.code);
  const answer = errorAnswer(apiError, call.id, context.config.publicUrl);
  if (isLogged(call, answer.status)) {
    await logOnly(context, call, async () => answer).catch((cause: unknown) => {
      context.log.warn({ request: call.id, err: cause }, 'a refused request could not be logged');
    });
  }
  call.bodyBytes?.workEnds(0);
  // The framework would cut off who is still sending, and with that take the answer from them.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  if (apiError.allow !== undefined) reply.header('allow', apiError.allow);
  if (apiError.retryAfterSeconds !== undefined) reply.header('retry-after', String(apiError.retryAfterSeconds));
  return send(reply, answer, apiError.shouldRetry);
}

/** Mutating requests are logged, but not those that a client repeats until they pass. */
function isLogged(call: Call, status: number): boolean {
  return call.key !== null && ['POST', 'DELETE'].includes(call.request.method) && ![401, 429, 503].includes(status);
}

function send(
  reply: FastifyReply,
  answer: { status: number; body: string | Buffer },
  shouldRetry = isPassing(answer.status),
): FastifyReply {
  reply
    .code(answer.status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store');
  if (answer.status >= 400) reply.header('service-should-retry', String(shouldRetry));
  return reply.send(answer.body);
}

/** Tells who watches that a request began; what it returns tells that it ended, and how. */
function observe({ metrics }: HttpContext, request: FastifyRequest, { raw }: FastifyReply): () => void {
  const startedMs = performance.now();
  metrics.requests.began();
  return () =>
    metrics.requests.ended({
      method: request.method,
      route: request.routeOptions.url,
      status: raw.writableFinished ? raw.statusCode : null,
      durationMs: performance.now() - startedMs,
    });
}

/** What every answer bears, whatever it is. */
function stamp(reply: FastifyReply, call: Call): void {
  reply.header('request-id', call.id).header('service-version', call.version);
}

/** Whether the same request may have another answer later; the answer of a stored 500 never changes. */
function isPassing(status: number): boolean {
  return [409, 429, 503].includes(status);
}

/** One line a request: two, as is usual, cost as much as all else the server does. */
function logLine({ log, clock }: HttpContext, call: Call, reply: FastifyReply): void {
  log.info({
    request: call.id,
    method: call.request.method,
    path: call.request.url.split('?', 1)[0],
    status: reply.statusCode,
    ms: clock.nowMs() - call.startedMs,
    key: call.key?.id,
  });
}
