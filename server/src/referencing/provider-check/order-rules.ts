import type { RawAnswer } from './kit.ts';
import type { Rule } from './rule.ts';

/** Orders with one key that are sent at the same moment. */
const atOnce = 8;

/** The first rule. No other can be judged without it. */
export const orderAccepted: Rule = {
  name: 'order.accepted',
  says: 'takes an order, and answers with its state',
  advice: 'Answer POST /v1/reference-requests with 201 and all members of ReferenceRequest.',
  async judge(kit) {
    const { status } = await kit.submit(kit.order('stuck'));
    return status === 'failed' || status === 'canceled' ? `The new order is ${status}.` : null;
  },
};

export const orderRules: readonly Rule[] = [
  {
    name: 'order.nameless',
    says: 'takes an order without the person and the rent, or refuses it with 422',
    advice: 'Let `applicant` and `rentShare` be null. If you cannot work without them, answer 422 and say why.',
    async judge(kit) {
      const { method, path, body } = await kit.orderRequest(kit.order('stuck', { applicant: null, rent: null }));
      const answer = await kit.send({ method, path, body });
      return [200, 201].includes(answer.status) ? null : errorFault(answer, [422]);
    },
  },
  {
    name: 'order.more-members',
    says: 'ignores members that it does not know',
    advice: 'Ignore unknown members of an order. Later releases of Tenure may send more.',
    async judge(kit) {
      const { method, path, body } = await kit.orderRequest(kit.order('stuck'));
      const { status } = await kit.send({ method, path, body: { ...body, aLaterMember: { of: ['Tenure'] } } });
      return [200, 201].includes(status) ? null : `The order with one more member got ${status}.`;
    },
  },
  {
    name: 'order.unreadable',
    says: 'refuses an order that it cannot read',
    advice: 'Answer 400 with an error body if the body is no JSON, or has no `clientReferenceId`.',
    async judge(kit) {
      const { method, path, body } = await kit.orderRequest(kit.order('stuck'));
      const { clientReferenceId: _key, ...keyless } = body;
      for (const unreadable of ['{"clientReferenceId": ', keyless]) {
        const fault = errorFault(await kit.send({ method, path, body: unreadable }), [400, 422]);
        if (fault !== null) return fault;
      }
      return null;
    },
  },
  {
    name: 'order.refused',
    says: 'refuses a check that it cannot make',
    advice: 'In the scenario `invalid_details`, answer 422 with an error body that says what is missing.',
    async judge(kit) {
      const { method, path, body } = await kit.orderRequest(kit.order('invalid_details'));
      return errorFault(await kit.send({ method, path, body }), [422]);
    },
  },
  {
    name: 'order.corrected',
    says: 'takes the key of a refused order again, with corrected details',
    advice: 'Forget an order that you refuse. Judge the next order with its key anew.',
    async judge(kit) {
      const refused = kit.order('invalid_details');
      const { method, path, body } = await kit.orderRequest(refused);
      await kit.send({ method, path, body });
      const { orderId } = await kit.submit({ ...refused, scenario: 'stuck' });
      return (await kit.find(refused.referenceId)) === orderId ? null : 'The corrected order cannot be looked up.';
    },
  },
  {
    name: 'order.once',
    says: `makes one order if ${atOnce} with one key arrive at once`,
    advice: 'Store the key under a unique constraint, before any work begins. Answer all with the same order.',
    async judge(kit) {
      const order = kit.order('stuck');
      const answers = await Promise.all(Array.from({ length: atOnce }, () => kit.submit(order)));
      const ids = new Set(answers.map(({ orderId }) => orderId));
      return ids.size === 1 ? null : `${atOnce} orders with one key got ${ids.size} different ids.`;
    },
  },
  {
    name: 'order.again',
    says: 'answers a repeated order with the order that it has',
    advice: 'Look the key up first. Answer 200 with the state of its order, also with other details in the body.',
    async judge(kit) {
      const order = kit.order('stuck');
      const { orderId } = await kit.submit(order);
      const again = await kit.submit({ ...order, hasGuarantor: true });
      return again.orderId === orderId ? null : `The id was ${orderId}, and is ${again.orderId} for the repeat.`;
    },
  },
  {
    name: 'order.apart',
    says: 'makes two orders for two keys',
    advice: 'Tell orders apart by `clientReferenceId` alone, and not by the person.',
    async judge(kit) {
      const [one, other] = await Promise.all([kit.submit(kit.order('stuck')), kit.submit(kit.order('stuck'))]);
      return one.orderId === other.orderId ? `Both orders have the id ${one.orderId}.` : null;
    },
  },
  {
    name: 'order.lost-answer',
    says: 'keeps an order whose answer was lost',
    advice: 'Store the order before you answer. A look-up and a repeat then find it.',
    async judge(kit) {
      const order = kit.order('stuck');
      await kit.sendAndDisconnect(order);
      const before = await kit.find(order.referenceId);
      const { orderId } = await kit.submit(order);
      const after = await kit.find(order.referenceId);
      if (before !== null && before !== orderId) return `The look-up found ${before}, and the repeat ${orderId}.`;
      return after === orderId ? null : `The repeat got ${orderId}, and the look-up then ${after ?? 'nothing'}.`;
    },
  },
  {
    name: 'find',
    says: 'finds an order by its key, and nothing for other keys',
    advice: 'Answer GET /v1/reference-requests?clientReferenceId=… with `{"requests": […]}`, empty if there is none.',
    async judge(kit) {
      const order = kit.order('stuck');
      const { orderId } = await kit.submit(order);
      const found = await kit.find(order.referenceId);
      if (found !== orderId) return `The order ${orderId} was looked up, and ${found ?? 'nothing'} was found.`;
      const unknown = await kit.find(`${order.referenceId}-2`);
      return unknown === null ? null : `A key without an order has found ${unknown}.`;
    },
  },
  {
    name: 'unknown-id',
    says: 'answers 404 for an order that it does not have',
    advice: 'Answer 404 with an error body for an unknown `requestId`, on each of the four paths.',
    async judge(kit) {
      for (const request of requestsAbout('no-such-order')) {
        const fault = errorFault(await kit.send(request), [404]);
        if (fault !== null) return `${request.method} ${request.path}: ${fault}`;
      }
      return null;
    },
  },
  {
    name: 'token',
    says: 'refuses a wrong token and a missing one on every path',
    advice: 'Compare the bearer token before anything else. Answer 401 with an error body, and do nothing.',
    async judge(kit) {
      const { orderId } = await kit.submit(kit.order('stuck'));
      const strange = kit.order('stuck');
      const { method, path, body } = await kit.orderRequest(strange);
      const find = { method: 'GET', path: `${path}?clientReferenceId=${strange.referenceId}` };
      for (const request of [{ method, path, body }, find, ...requestsAbout(orderId)]) {
        for (const token of ['invalid_token_of_the_check', null]) {
          const fault = errorFault(await kit.send({ ...request, token }), [401]);
          if (fault !== null)
            return `${request.method} ${request.path} with ${token === null ? 'no' : 'a wrong'} token: ${fault}`;
        }
      }
      if ((await kit.find(strange.referenceId)) !== null) return 'The refused order can be looked up.';
      const { progress } = await kit.read(orderId);
      return progress.status === 'canceled' ? 'The refused cancellation has canceled the order.' : null;
    },
  },
  {
    name: 'email',
    says: 'takes a new e-mail address of the person, also twice and after the end',
    advice: 'Answer PUT …/applicant-email with 200 and the state, or with 409 once the order has ended.',
    async judge(kit) {
      const { orderId } = await kit.submit(kit.order('stuck'));
      await kit.invite(orderId, 'casey.corrected@example.org');
      await kit.invite(orderId, 'casey.corrected@example.org');
      await kit.cancel(orderId);
      await kit.invite(orderId, 'casey.late@example.org');
      return null;
    },
  },
  {
    name: 'cancel',
    says: 'stops an order for good',
    advice:
      'After POST …/cancel, answer reads with `CANCELLED` and without a decision. Answer a repeat with 200 or 409.',
    async judge(kit) {
      const { orderId } = await kit.submit(kit.order('stuck'));
      await kit.cancel(orderId);
      await kit.cancel(orderId);
      const { progress } = await kit.read(orderId);
      return progress.status === 'canceled' ? null : `The canceled order is ${progress.status}.`;
    },
  },
];

/** Returns a request on each path of an order. */
function requestsAbout(orderId: string): { method: string; path: string; body?: object }[] {
  const path = `/v1/reference-requests/${encodeURIComponent(orderId)}`;
  return [
    { method: 'GET', path },
    { method: 'GET', path: `${path}/report` },
    { method: 'PUT', path: `${path}/applicant-email`, body: { email: 'casey.check@example.org' } },
    { method: 'POST', path: `${path}/cancel` },
  ];
}

/** Says how an answer differs from an error of one of these statuses. Returns null if it does not. */
export function errorFault({ status, json }: RawAnswer, wanted: readonly number[]): string | null {
  if (!wanted.includes(status)) return `The answer is ${status}, not ${wanted.join(' or ')}.`;
  const { error } = (json ?? {}) as { error?: { code?: unknown; message?: unknown } };
  const isError = typeof error?.code === 'string' && typeof error.message === 'string' && error.message !== '';
  return isError ? null : `The ${status} has no body {"error": {"code": …, "message": …}}.`;
}
