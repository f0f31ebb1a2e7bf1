import { expect, test, vi } from 'vitest';
import { signedIn } from '../support/browser.ts';
import { serverForTest } from '../support/server.ts';
import { waitMs } from '../support/wait.ts';

test('refuses the change of a key, and of the data of a person, when there is no room for ten seconds', async () => {
  const server = await serverForTest();
  const { browser } = await signedIn(server, 'owner');
  const { bytes } = server.context.committer;
  const others = bytes.add('others', 48 * 1024 * 1024);
  const answering = [
    server.api.post('/v1/customers', { name: 'Ada' }),
    // No account pays for its memory, but a client waits.
    browser.post('/auth/me', { name: 'Grace' }),
  ];
  await vi.waitFor(() => expect(bytes.waiting).toBe(2), { timeout: waitMs });
  const answers = await Promise.all(answering);
  others.release();
  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [503, 'overloaded'],
    [503, 'overloaded'],
  ]);
});
