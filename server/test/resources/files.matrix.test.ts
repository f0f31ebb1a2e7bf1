import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { encodedForm, formOf } from '../support/files.ts';
import { serverForTest } from '../support/server.ts';

test('waits for an upload when it takes longer than the limit of other bodies', async () => {
  const own = await serverForTest();
  const { contentType, bytes } = await encodedForm(formOf());
  const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  socket.write(
    `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${own.secretKey}\r\nConnection: close\r\n` +
      `Content-Type: ${contentType}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  );
  socket.write(bytes.subarray(0, 100));
  // Other bodies are cut off after 15 s, with up to 2 s until the next check.
  await delay(18_000);
  socket.write(bytes.subarray(100));
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
});
