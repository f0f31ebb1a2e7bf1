import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteBudget } from '../../core/byte-budget.ts';
import { ApiError } from '../../core/errors.ts';
import { BodyBytes, callbacksShare } from '../body/body-bytes.ts';
import type { FailedSignIns } from '../pipeline/rate-limit.ts';
import type { HttpContext } from '../context.ts';
import { receiveBytes } from '../body/incoming-bytes.ts';

/**
 * `POST /provider_callbacks/{provider}/{account}`: where referencing services tell that something has happened. They have no key; their
 * signature says who they are. It is answered as soon as it is kept, and what there is to find out is found out later. A callback
 * without a good signature counts as a failed sign-in of its address.
 */
export function addProviderCallbacks(
  app: FastifyInstance,
  { providerCallbacks }: HttpContext,
  { bodies, failedSignIns }: { bodies: ByteBudget; failedSignIns: FailedSignIns },
): void {
  void app.register(async (scope) => {
    // A signature is about bytes, whatever type they are said to have.
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
          request.apiRequest.bodyBytes = new BodyBytes(bodies, callbacksShare, request, reply);
        },
      },
      async ({ apiRequest, params: { provider, account }, headers, body, socket }) => {
        apiRequest.bodyBytes?.workBegins();
        const isTaken = await providerCallbacks.take(provider, account, { headers, body: body ?? Buffer.alloc(0) });
        apiRequest.bodyBytes?.workEnds(0);
        if (isTaken) return { received: true };
        failedSignIns.note(socket.remoteAddress);
        throw new ApiError(
          'callback_signature_invalid',
          'This callback is not signed as the service would sign it for this account, or not lately. Nothing was done.',
        );
      },
    );
  });
}
