import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import type { Deployment } from '../faults/crash-checker/deployment.ts';
import { formOf } from '../support/files.ts';
import { mailServerForTest } from '../support/mail-server.ts';
import { processesForTest } from '../support/processes.ts';
import { apiClient, good, type Api } from '../support/server.ts';
import { mailSettings, untilShown } from './agency.ts';

/* A process dies by kill -9 while it sends e-mails. The next process sends them. */

const secretKey = makeKey('secret', 'live', randomBytes);

async function startedWith(mail: { url: string }): Promise<{ process: Deployment; api: Api }> {
  const { start } = await processesForTest();
  const process = await start({ ...mailSettings(mail), TENURE_SECRET_KEY: secretKey });
  return { process, api: apiClient(process.url, secretKey) };
}

async function sendFile(api: Api, to: string): Promise<{ id: string; url: string }> {
  const { body: file } = await good(api.post('/v1/files', formOf()));
  return (await good(api.post(`/v1/files/${file.id}/links`, { recipient_email: to }))).body;
}

const shown = (api: Api, { id }: { id: string }) => untilShown(() => api.get(`/v1/file_links/${id}`), 'sent');

function idOf({ headers }: { headers: string[] }): string {
  return headers.find((line) => line.startsWith('Message-ID'))!;
}

test('sends each e-mail when the process dies between its queue and its end', async () => {
  const mail = await mailServerForTest();
  mail.replies = { EHLO: 'hang' };
  const { process, api } = await startedWith(mail);
  const links = [];
  // More than are sent at once: some are under way, and the others wait.
  for (let index = 0; index < 6; index++) links.push(await sendFile(api, `person${index}@example.com`));
  await mail.connected(3);
  await process.kill();
  mail.replies = {};
  await process.start();
  for (const link of links) await shown(api, link);
  expect(mail.mails.map(({ to }) => to).toSorted()).toEqual(links.map((_, index) => `person${index}@example.com`));
});

test('sends the same Message-ID again when the process dies after the acceptance of an e-mail', async () => {
  const mail = await mailServerForTest();
  const { process, api } = await startedWith(mail);
  const died = Promise.withResolvers<void>();
  mail.replies = { message: 'hang' };
  mail.onMessage = () => void process.kill().then(died.resolve);
  const link = await sendFile(api, 'okafor@example.com');
  await died.promise;
  const [first] = mail.refused;
  mail.replies = {};
  mail.onMessage = () => {};
  await process.start();
  await shown(api, link);
  expect(mail.mails.map(idOf)).toEqual([idOf(first!)]);
  expect(mail.mails[0]!.text).toContain(link.url);
});
