import { createHash } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import type { Encryption } from '../../core/secrets/encryption.ts';
import type { Pool } from '../../db/pools.ts';
import { send, serviceServer, type ServiceRequest, type ServiceResponse } from '../../external-services/simulated.ts';
import { caseFileOf } from './findings.ts';
import {
  disclose,
  faultOf,
  knownUntilMs,
  nextStepAtMs,
  reinvited,
  standingOf,
  type CallFault,
  type SimulatedOrder,
} from './order.ts';
import { beginWork, changeOrder, countCall, countOrdering, discloseFindings, readOrder } from './orders.ts';
import { scriptFor } from '../../core/vocabulary/simulation-script.ts';
import type { Asked, OrderView, PlacedOrder, Vendor } from './vendor.ts';

export interface ServiceContext {
  pool: Pool;
  encryption: Encryption;
  clock: Clock;
  /** Real time. Callbacks are signed with it, because their receivers compare it. */
  realClock: Clock;
  log: Logger;
  workingDayMs: number;
}

/** Makes a referencing service that is called over HTTP like any other. It listens after `listen`. */
export function simulatedService(vendor: Vendor, context: ServiceContext): Server {
  return serviceServer(
    (request, response) => respond(vendor, context, request, response),
    (error) => {
      context.log.warn({ err: error, provider: vendor.provider }, 'a simulated service could not respond');
      return vendor.refused(500, 'internal_error', 'Something went wrong.');
    },
  );
}

async function respond(
  vendor: Vendor,
  context: ServiceContext,
  request: ServiceRequest,
  response: ServerResponse,
): Promise<ServiceResponse | null> {
  const credential = vendor.credentialIn(request.headers);
  if (credential === '' || credential.startsWith('invalid'))
    return vendor.refused(401, 'unauthorized', 'The credentials are not known.');
  const asked = vendor.askedBy(request);
  if (!asked) return vendor.refused(404, 'not_found', 'There is no such page.');
  if (asked.kind === 'unreadable') return vendor.refused(400, 'invalid_request', 'The order cannot be read.');
  const carriedOut = await execute(vendor, context, asked);
  if (!('fault' in carriedOut)) return carriedOut;
  fail(vendor, response, carriedOut.fault);
  return null;
}

type Carried = ServiceResponse | { fault: CallFault };

async function execute(
  vendor: Vendor,
  context: ServiceContext,
  asked: Exclude<Asked, { kind: 'unreadable' }>,
): Promise<Carried> {
  const { pool, clock } = context;
  if (asked.kind === 'place') return place(vendor, context, asked.order);
  const order = await countCall(pool, vendor.provider, asked.kind === 'find' ? asked : { orderId: asked.orderId });
  const fault = order && faultOf(order);
  if (fault) return { fault };
  const nowMs = clock.nowMs();
  if (!order || order.placedAtMs === null) {
    return asked.kind === 'find' ? vendor.list(null) : vendor.refused(404, 'not_found', 'There is no such order.');
  }
  if (asked.kind === 'cancel') return cancel(vendor, context, order);
  if (asked.kind === 'invite') return invite(vendor, context, order, asked.email);
  if (asked.kind === 'report') {
    // A report shows what the customer was told, even if the service has changed its result since.
    const known = order.disclosed.length > 0 ? order : await disclosedNow(pool, order, nowMs);
    const view = viewOf(known, knownUntilMs(known, nowMs));
    if (view.file) return vendor.report(view, view.file);
    return vendor.refused(409, 'report_not_ready', 'The check is not done.');
  }
  const view = viewOf(await disclosedNow(pool, order, nowMs), nowMs);
  return asked.kind === 'find' ? vendor.list(view) : vendor.order(view);
}

/** Stores that the customer is told the order's state now. Only later can the service change its result. */
async function disclosedNow(
  pool: Pool,
  { provider, referenceId }: SimulatedOrder,
  nowMs: number,
): Promise<SimulatedOrder> {
  return discloseFindings(pool, provider, { referenceId }, (order) => {
    const disclosed = disclose(order, nowMs);
    return disclosed && { disclosed, tellAtMs: nextStepAtMs({ ...order, disclosed }, nowMs) };
  });
}

async function place(vendor: Vendor, context: ServiceContext, placed: PlacedOrder): Promise<Carried> {
  const { pool, encryption, clock, workingDayMs } = context;
  const { referenceId, hasGuarantor, rent, callback } = placed;
  const digest = createHash('sha256').update(`${vendor.provider}/${referenceId}`).digest();
  const counted = await countOrdering(pool, vendor.provider, {
    referenceId,
    orderId: vendor.orderIdOf(digest),
    script: scriptFor(placed.scenario, placed.email),
    contact: placed.email === null ? null : contactOf(encryption, vendor, vendor.orderIdOf(digest), placed.email),
    hasGuarantor,
    rent,
    workingDayMs,
    callback: callback && { url: callback.url, secret: encryption.encrypt(callback.secret) },
  });
  const fault = faultOf(counted);
  if (fault) return { fault };
  const nowMs = clock.nowMs();
  const begun = counted.placedAtMs === null ? await beginWork(pool, counted, nowMs) : null;
  const known = await disclosedNow(pool, counted, nowMs);
  return vendor.placed(viewOf(known, nowMs), begun !== null);
}

/** Sends the invitation to another address, if the applicant has not answered one. The same address again changes nothing. */
async function invite(
  vendor: Vendor,
  { pool, clock, encryption }: ServiceContext,
  { orderId }: SimulatedOrder,
  email: string,
): Promise<ServiceResponse> {
  const nowMs = clock.nowMs();
  const contact = contactOf(encryption, vendor, orderId, email);
  let isOver = false;
  await changeOrder(pool, vendor.provider, { orderId }, nowMs, (order) => {
    const { phase } = standingOf(order, nowMs);
    isOver = phase === 'done' || phase === 'canceled';
    return isOver || order.contact === contact ? null : { contact, ...reinvited(order, nowMs) };
  });
  if (isOver) return vendor.closed();
  return vendor.order(viewOf((await readOrder(pool, vendor.provider, { orderId }))!, nowMs));
}

/** Tells addresses apart without storing them. */
function contactOf(encryption: Encryption, { provider }: Vendor, orderId: string, email: string): string {
  return encryption.derive(`contact ${provider} ${orderId} ${email}`);
}

async function cancel(
  vendor: Vendor,
  { pool, clock }: ServiceContext,
  { orderId }: SimulatedOrder,
): Promise<ServiceResponse> {
  const nowMs = clock.nowMs();
  const isCanceled = await changeOrder(pool, vendor.provider, { orderId }, nowMs, (order) => {
    const { phase } = standingOf(order, nowMs);
    return phase === 'done' || phase === 'canceled' ? null : { canceledAtMs: nowMs };
  });
  if (!isCanceled) return vendor.closed();
  return vendor.canceled(viewOf((await readOrder(pool, vendor.provider, { orderId }))!, nowMs));
}

function viewOf(order: SimulatedOrder, nowMs: number): OrderView {
  return { order, standing: standingOf(order, nowMs), file: caseFileOf(order, nowMs) };
}

function fail(vendor: Vendor, response: ServerResponse, fault: CallFault): void {
  switch (fault.kind) {
    case 'silence':
      // Send nothing, until the caller times out.
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Scheduled maintenance</body></html>');
      return;
    case 'error':
      return send(response, vendor.refused(500, 'internal_error', 'Something went wrong.'));
    case 'busy':
      response.setHeader('retry-after', String(fault.retryAfterSeconds));
      return send(response, vendor.refused(429, 'rate_limited', 'Too many requests.'));
    case 'refusal':
      return send(response, vendor.refused(422, fault.code, fault.message));
  }
}
