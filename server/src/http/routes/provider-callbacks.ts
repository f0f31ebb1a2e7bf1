import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import { BodyBytes, bodyBytesMax, strangerOf, type BodyBudgets } from '../body/body-bytes.ts';
import type { FailedSignIns } from '../pipeline/rate-limit.ts';
import type { HttpContext } from '../context.ts';
import { bodyTooLarge, receiveBytes } from '../body/incoming-bytes.ts';

/**
 * Adds `POST /provider_callbacks/{provider}/{account}`: callbacks of referencing services. They have no key, and authenticate by a
 * signature. The server responds when the callback is stored, and reads the order later. A callback with a wrong signature counts as a
 * failed sign-in of its address.
 */
export function addProviderCallbacks(
  app: FastifyInstance,
  { providerCallbacks }: HttpContext,
  { bodies, failedSignIns }: { bodies: BodyBudgets; failedSignIns: FailedSignIns },
): void {
  void app.register(async (scope) => {
    // A signature covers the bytes, so read them for every content type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async ({ apiRequest: { bodyBytes }, raw }: FastifyRequest) => {
      const bytes = await receiveBytes(raw, bodyBytes);
      bodyBytes?.arrived(bytes.length);
      return bytes;
    });
    scope.post<{ Params: { provider: string; account: string }; Body: Buffer | undefined }>(
      '/provider_callbacks/:provider/:account',
      {
        config: { public: true },
        onRequest: async (request, reply) => {
          // It would take the room of others until it is refused.
          if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw bodyTooLarge();
          const payer = strangerOf('callbacks', request.apiRequest.client);
          request.apiRequest.bodyBytes = new BodyBytes(bodies, payer, request, reply);
        },
      },
      async ({ apiRequest, params: { provider, account }, headers, body }) => {
        apiRequest.bodyBytes?.workBegins();
        const isTaken = await providerCallbacks.take(provider, account, { headers, body: body ?? Buffer.alloc(0) });
        apiRequest.bodyBytes?.workEnds(0);
        if (isTaken) return { received: true };
        failedSignIns.note(apiRequest.client);
        throw new ApiError(
          'callback_signature_invalid',
          'The signature of this callback is wrong for this account, or expired. Nothing was done. Check the shared secret and the clock.',
        );
      },
    );
  });
}
