import { setTimeout as delay } from 'node:timers/promises';
import { good, type Api, type ApiResponse } from './server.ts';

/** A customer whose body has nearly 256 kB, the largest that the server accepts. Each character has three bytes. */
export function largeCustomer(): object {
  const text = '€'.repeat(500);
  const address = { line1: text, line2: text, city: text, postal_code: text, country: 'GB' };
  return { name: 'Ada', addresses: Array.from({ length: 42 }, () => address) };
}

/** Posts a large body as soon as the account's share has room. Retries a 429 after its `Retry-After`. */
export async function postLarge(api: Api, path: string, body: object): Promise<ApiResponse> {
  for (;;) {
    const answer = await api.post(path, body);
    if (answer.status !== 429) return good(Promise.resolve(answer));
    await delay(1000 * Number(answer.headers.get('retry-after')));
  }
}
