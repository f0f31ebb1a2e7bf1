import { createHash, createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import Schema from 'typebox/schema';
import { toSeconds, type Clock } from '../../core/clock.ts';
import type { Encryption } from '../../core/secrets/encryption.ts';
import type { Pool } from '../../db/pools.ts';
import {
  callBack,
  callbackPausesMs,
  closed,
  listening,
  serviceServer,
  startCalling,
  urlOf,
  type ServiceRequest,
  type ServiceResponse,
} from '../../external-services/simulated.ts';
import { courseOf, nextEventAtMs, standingOf, voided, withRefund, type SimulatedCharge } from './charge.ts';
import {
  changeCharge,
  claimChargesToTell,
  readCharge,
  releaseCharge,
  storeCharge,
  type ChargeToTell,
} from './charges.ts';

export interface GatewayContext {
  pool: Pool;
  encryption: Encryption;
  clock: Clock;
  /** Real time. Callbacks are signed with it, because their receivers compare it. */
  realClock: Clock;
  log: Logger;
  workingDaySeconds: number;
}

export interface SimulatedGateway {
  url: string;
  stop(): Promise<void>;
}

/** Milliseconds. A call back takes less. */
const claimMs = 60_000;
const claimedAtOnce = 20;

const newCharge = Type.Object({
  amount: Type.Integer({ minimum: 1 }),
  currency: Type.String({ pattern: '^[a-z]{3}$' }),
  method: Type.String(),
  callback: Type.Object({ url: Type.String(), secret: Type.String({ minLength: 1 }) }),
  scenario: Type.Optional(Type.String()),
});

const newRefund = Type.Object({ amount: Type.Integer({ minimum: 1 }) });

/** The texts of failures. A code that a test names has none. */
const texts: Readonly<Record<string, string>> = {
  declined: 'The bank declined the charge.',
  bounced: 'The bank took the money back.',
  insufficient_funds: 'There is not enough money in the account.',
  charge_failed: 'The charge failed before the money was sent.',
  charge_not_paid: 'There is no money of the charge to send back.',
  amount_exceeded: 'The charge has less left.',
};

/**
 * Starts the payment gateway of the sandbox: a server on loopback that is called like any other gateway. Its charges are in the database. So
 * they continue after a restart, and several processes have the same ones.
 */
export async function startGateway(context: GatewayContext): Promise<SimulatedGateway> {
  const server = await listening(
    serviceServer(
      (request) => respond(context, request),
      (error) => {
        context.log.warn({ err: error }, 'the simulated gateway could not respond');
        return refused(500, 'internal_error', 'Something went wrong.');
      },
    ),
  );
  const caller = startCalling((stopping) => tellAll(context, stopping), context.log);
  server.on('request', () => caller.noteUse());
  return {
    url: urlOf(server),
    async stop() {
      await Promise.all([caller.stop(), closed(server)]);
    },
  };
}

async function respond(context: GatewayContext, request: ServiceRequest): Promise<ServiceResponse> {
  const { pool, clock } = context;
  const { method, path, headers, body } = request;
  const [resource, chargeId, action, ...rest] = path;
  if (!/^Bearer ./.test(headers.authorization ?? '')) return refused(401, 'unauthorized', 'The token is not known.');
  if (resource !== 'charges' || rest.length > 0) return refused(404, 'not_found', 'There is no such page.');
  const key = String(headers['idempotency-key'] ?? '');
  if (chargeId === undefined) {
    if (method !== 'POST') return refused(404, 'not_found', 'There is no such page.');
    if (key === '' || !Schema.Check(newCharge, body))
      return refused(400, 'invalid_request', 'The charge cannot be read.');
    return start(context, key, body);
  }
  const nowMs = clock.nowMs();
  if (method === 'GET' && action === undefined) return shown(await readCharge(pool, { chargeId }), nowMs);
  if (method === 'POST' && action === 'void')
    return shown((await changeCharge(pool, { chargeId }, nowMs, (charge) => voided(charge, nowMs)))?.charge, nowMs);
  if (method !== 'POST' || action !== 'refunds') return refused(404, 'not_found', 'There is no such page.');
  if (key === '' || !Schema.Check(newRefund, body))
    return refused(400, 'invalid_request', 'The refund cannot be read.');
  const { amount } = body;
  const changed = await changeCharge(pool, { chargeId }, nowMs, (charge) => withRefund(charge, { key, amount }, nowMs));
  return shown(changed?.charge, nowMs);
}

async function start(
  { pool, clock, encryption, workingDaySeconds }: GatewayContext,
  key: string,
  {
    amount,
    currency,
    callback,
    scenario,
  }: { amount: number; currency: string; callback: { url: string; secret: string }; scenario?: string },
): Promise<ServiceResponse> {
  const nowMs = clock.nowMs();
  const workingDayMs = workingDaySeconds * 1000;
  const wanted: SimulatedCharge = {
    key,
    chargeId: `ch_${createHash('sha256').update(key).digest('hex').slice(0, 24)}`,
    amount,
    currency,
    workingDayMs,
    course: courseOf(scenario ?? null, nowMs, workingDayMs),
    refunds: [],
  };
  const secret = encryption.encrypt(callback.secret);
  const charge = await storeCharge(pool, wanted, { url: callback.url, secret }, nextEventAtMs(wanted, nowMs));
  if (charge.amount !== amount || charge.currency !== currency)
    return refused(409, 'key_reused', 'The key belongs to a charge of another amount.');
  return shown(charge, nowMs);
}

function shown(charge: SimulatedCharge | null | undefined, nowMs: number): ServiceResponse {
  if (!charge) return refused(404, 'not_found', 'There is no such charge.');
  const { state, paidAtMs, code, refunds } = standingOf(charge, nowMs);
  return {
    status: 200,
    body: {
      id: charge.chargeId,
      key: charge.key,
      amount: charge.amount,
      currency: charge.currency,
      state,
      paid_at: paidAtMs === null ? null : toSeconds(paidAtMs),
      reason: reasonOf(code),
      refunds: refunds.map((refund) => ({
        key: refund.key,
        amount: refund.amount,
        state: refund.state,
        reason: reasonOf(refund.code),
      })),
    },
  };
}

function reasonOf(code: string | null): { code: string; text: string } | null {
  return code === null ? null : { code, text: texts[code] ?? '' };
}

function refused(status: number, code: string, text: string): ServiceResponse {
  return { status, body: { error: { code, text } } };
}

/** Sends the callbacks that are due, and returns their number. Several processes share the work. */
async function tellAll(context: GatewayContext, stopping: AbortSignal): Promise<number> {
  const nowMs = context.clock.nowMs();
  const claim = { nowMs, untilMs: nowMs + claimMs, max: claimedAtOnce };
  const claimed = await claimChargesToTell(context.pool, claim);
  await Promise.all(claimed.map((toTell) => tell(context, toTell, stopping)));
  return claimed.length;
}

async function tell(
  { pool, encryption, clock, realClock }: GatewayContext,
  toTell: ChargeToTell,
  stopping: AbortSignal,
): Promise<void> {
  const { charge, callbackUrl, callbackSecret, attempts } = toTell;
  const nowMs = clock.nowMs();
  const body = JSON.stringify({ key: charge.key, charge: charge.chargeId, state: standingOf(charge, nowMs).state });
  const timestamp = String(toSeconds(realClock.nowMs()));
  const secret = encryption.decrypt(callbackSecret);
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const headers = { 'x-gateway-timestamp': timestamp, 'x-gateway-signature': signature };
  const isTaken = await callBack(callbackUrl, headers, body, stopping);
  const pauseMs = callbackPausesMs[attempts];
  await releaseCharge(
    pool,
    toTell,
    isTaken || pauseMs === undefined
      ? { tellAtMs: nextEventAtMs(charge, nowMs), attempts: 0 }
      : { tellAtMs: nowMs + pauseMs, attempts: attempts + 1 },
  );
}
