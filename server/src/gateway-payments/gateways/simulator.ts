import { Type } from 'typebox';
import { withoutContacts } from '../../external-services/without-contacts.ts';
import { codeOf, meaningOf, orNull, parseResponse } from '../../external-services/parse-response.ts';
import type { ProviderAccess, ProviderRequest } from '../../external-services/service.ts';
import { headerOf, isHmacOf, memberOf } from '../../external-services/signatures.ts';
import type { Charge, Failure, PaymentGateway } from './gateway.ts';

/*
 * Adapts the gateway of the sandbox. It takes a bearer token and an `Idempotency-Key`. Its callbacks are signed over their time and body.
 */

const states = {
  submitted: 'pending',
  paid: 'succeeded',
  declined: 'failed',
  charged_back: 'failed',
  voided: 'canceled',
} as const satisfies Record<string, Charge['status']>;

const refundStates = { processing: 'pending', sent: 'succeeded', rejected: 'failed' } as const;

const reasonSchema = orNull(Type.Object({ code: Type.String(), text: Type.String() }));

const chargeSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  state: Type.String(),
  paid_at: orNull(Type.Integer({ minimum: 0 })),
  reason: reasonSchema,
  refunds: Type.Array(Type.Object({ key: Type.String(), state: Type.String(), reason: reasonSchema })),
});

const faultSchema = Type.Object({ error: Type.Object({ code: Type.String(), text: Type.String() }) });

/** Seconds within which a callback must arrive. */
const signatureAgeMaxSeconds = 300;

export const simulator: PaymentGateway = {
  name: 'simulator',
  lookAgainAfterSeconds: 3_600,

  start: (access, { key, amount, currency, method, callbackUrl, scenario }) =>
    ask(access, {
      method: 'POST',
      path: '/charges',
      headers: { 'idempotency-key': key },
      body: {
        amount,
        currency,
        method,
        callback: { url: callbackUrl, secret: access.credentials.signing_secret },
        ...(scenario !== null && { scenario }),
      },
    }),

  look: (access, chargeId) => ask(access, { method: 'GET', path: pathOf(chargeId) }),

  cancel: (access, chargeId) => ask(access, { method: 'POST', path: `${pathOf(chargeId)}/void`, body: {} }),

  refund: (access, chargeId, { key, amount }) =>
    ask(access, {
      method: 'POST',
      path: `${pathOf(chargeId)}/refunds`,
      headers: { 'idempotency-key': key },
      body: { amount },
    }),

  readCallback({ headers, body, credentials, nowSeconds }) {
    const timestamp = headerOf(headers, 'x-gateway-timestamp');
    const signature = headerOf(headers, 'x-gateway-signature');
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > signatureAgeMaxSeconds) return null;
    if (!isHmacOf(signature, credentials.signing_secret ?? '', `${timestamp}.`, body)) return null;
    return memberOf(body, 'key');
  },
};

async function ask({ client, credentials }: ProviderAccess, request: ProviderRequest): Promise<Charge> {
  const { body } = await client.call({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${credentials.api_key ?? ''}` },
    refusalIn: (answer) => {
      const { code, text } = parseResponse(faultSchema, answer).error;
      return { code, message: text };
    },
  });
  const { id, state, paid_at: takenAt, reason, refunds } = parseResponse(chargeSchema, body);
  return {
    id,
    status: meaningOf(states, state),
    takenAt,
    failure: failureOf(reason),
    refunds: refunds.map((refund) => ({
      key: refund.key,
      status: meaningOf(refundStates, refund.state),
      failure: failureOf(refund.reason),
    })),
  };
}

function failureOf(reason: { code: string; text: string } | null): Failure | null {
  return (
    reason && { code: codeOf(reason.code), message: withoutContacts(reason.text).slice(0, 500).toWellFormed() || null }
  );
}

function pathOf(chargeId: string): string {
  return `/charges/${encodeURIComponent(chargeId)}`;
}
