import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FileChecker } from '../../src/file-check/checker.ts';
import { Logos } from '../../src/rent-documents/logos.ts';
import { account } from '../../src/resources/account/index.ts';
import { startLetting } from '../letting/agency.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { jpegOf, pngOf } from '../support/pictures.ts';
import { pdfToolsMissing, structureOf } from '../support/pdf.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { apiClient, good, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { letterhead, Office, textIn } from './office.ts';

let server: TestServer;
let office: Office;
let api: Api;

beforeAll(async () => {
  server = await startLetting();
  office = await Office.on(server);
  ({ api } = office.agency);
});
afterAll(() => server.stop());

async function uploaded(contents: Uint8Array, to: Api = api): Promise<string> {
  return (await good(to.post('/v1/files', formOf({ purpose: 'other' }, contents, 'logo')))).body.id;
}

function setLogo(logo: string | null): Promise<ApiResponse> {
  return api.post('/v1/account', { letterhead: { ...letterhead, logo } });
}

describe('the logo of an account', () => {
  test.each([
    ['PNG', () => pngOf(1_200, 300)],
    ['JPEG', () => jpegOf(300, 1_200)],
    [
      'transparent PNG',
      async () =>
        sharp(await pngOf(400, 200))
          .ensureAlpha(0.4)
          .png()
          .toBuffer(),
    ],
    [
      'grey PNG of one dot',
      async () =>
        sharp(await pngOf(1, 1))
          .greyscale()
          .png()
          .toBuffer(),
    ],
    ['JPEG of ten million dots', () => jpegOf(4_000, 2_500)],
  ])('stands at the head of an invoice and a statement when it is a %s', async (_name, make) => {
    const plain = await office.invoicePdf(await office.invoice());
    const logo = await uploaded(await make());
    expect((await good(setLogo(logo))).body.letterhead.logo).toBe(logo);
    const invoice = await office.invoicePdf(await office.invoice());
    const statement = await office.statementPdf();
    for (const pdf of [invoice, statement]) {
      expect(pdf.includes('/Subtype /Image')).toBe(true);
      if (pdfToolsMissing !== null) continue;
      expect(structureOf(pdf)).toMatch(/Figure/);
      expect(textIn(pdf)).toContain('Northern Homes Ltd');
    }
    // The picture is made small, so that a document stays small.
    expect(invoice.length - plain.length).toBeLessThan(400_000);
  });

  test('is refused as too much work, and not as a wrong file, when it takes too long to open', async () => {
    await good(setLogo(await uploaded(await pngOf(100, 100))));
    const fileChecker = new FileChecker({ checkTimeoutMs: 1 });
    onTestFinished(() => fileChecker.stop());
    const { readRecord, accounts, fileStore } = server.context;
    const logos = new Logos({ readRecord, accounts, fileStore, fileChecker });
    const owner = await readRecord(account, office.agency.accountId, office.agency.accountId);
    await expect(logos.of(owner!)).rejects.toMatchObject({ status: 503, code: 'overloaded', retryAfterSeconds: 5 });
  });

  test('is refused as too much work when the system ends the process that opens it', async () => {
    await good(setLogo(await uploaded(await pngOf(100, 100))));
    const fileChecker = new FileChecker();
    onTestFinished(() => fileChecker.stop());
    let opening: ChildProcess | null = null;
    const note = (message: unknown): void => void (opening = (message as { process: ChildProcess }).process);
    subscribe('child_process', note);
    onTestFinished(() => void unsubscribe('child_process', note));
    const { readRecord, accounts, fileStore } = server.context;
    // As the kernel does when memory is short.
    const read = async function* (...file: Parameters<typeof fileStore.read>): AsyncGenerator<Buffer> {
      opening!.kill('SIGKILL');
      yield* fileStore.read(...file);
    };
    const logos = new Logos({
      readRecord,
      accounts,
      fileStore: { read },
      fileChecker,
    });
    const owner = await readRecord(account, office.agency.accountId, office.agency.accountId);
    await expect(logos.of(owner!)).rejects.toMatchObject({ status: 503, code: 'overloaded' });
  });

  test('is refused as too much work when the system starts no process', async () => {
    await good(setLogo(await uploaded(await pngOf(100, 100))));
    const fileChecker = new FileChecker();
    onTestFinished(() => fileChecker.stop());
    const { readRecord, accounts, fileStore } = server.context;
    const logos = new Logos({ readRecord, accounts, fileStore, fileChecker });
    const owner = await readRecord(account, office.agency.accountId, office.agency.accountId);
    const { execPath } = process;
    onTestFinished(() => void (process.execPath = execPath));
    process.execPath = '/nowhere/node';
    await expect(logos.of(owner!)).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    process.execPath = execPath;
    expect(await logos.of(owner!)).toMatchObject({ type: 'image/png' });
  });

  test('is left out when its stored file is damaged', async () => {
    const logo = await uploaded(await pngOf(100, 100));
    await good(setLogo(logo));
    const { readers } = server.context.database;
    await readers.query(`update file_parts set bytes = 'no picture' where file = $1`, [logo]);
    const pdf = await office.invoicePdf(await office.invoice());
    expect(pdf.includes('/Subtype /Image')).toBe(false);
  });

  test('is left out, and its id stays, when its file is deleted', async () => {
    const logo = await uploaded(await pngOf());
    await good(setLogo(logo));
    await good(api.delete(`/v1/files/${logo}`));
    const pdf = await office.invoicePdf(await office.invoice());
    expect(pdf.includes('/Subtype /Image')).toBe(false);
    expect((await good(api.get('/v1/account'))).body.letterhead.logo).toBe(logo);
    // A link that is not new is not judged again.
    await good(setLogo(logo));
  });

  test('goes when it is null, or when the letterhead is replaced without it', async () => {
    const logo = await uploaded(await pngOf());
    await good(setLogo(logo));
    expect((await good(setLogo(null))).body.letterhead.logo).toBeNull();
    await good(setLogo(logo));
    expect((await good(api.post('/v1/account', { letterhead }))).body.letterhead.logo).toBeNull();
  });

  test('comes with the account when the account is expanded', async () => {
    const logo = await uploaded(await pngOf());
    await good(setLogo(logo));
    const { body } = await good(api.get('/v1/account?expand=letterhead.logo'));
    expect(body.letterhead.logo).toMatchObject({ id: logo, content_type: 'image/png' });
  });

  test('is refused with a reason when it is no picture of the account', async () => {
    await good(setLogo(null));
    const pdf = await uploaded(pdfOf('Logo'));
    expectRefusal(await setLogo(pdf), { ...invalid('letterhead[logo]'), says: /is a picture, and this file is a PDF/ });
    const foreign = await uploaded(await pngOf(), (await addAccount(server)).api);
    for (const id of [foreign, 'logo_of_our_system', server.context.ids.make('file'), server.context.ids.make('cus')])
      expectRefusal(await setLogo(id), { ...refusals.idUnknown, status: 400, param: 'letterhead[logo]' });
    expect((await good(api.get('/v1/account'))).body.letterhead.logo).toBeNull();
  });

  test('is refused when the key may not see the contents of files, unless it stays as it is', async () => {
    const key = { type: 'restricted', permissions: ['accounts.write', 'invoices.read'] };
    const { body } = await good(api.post('/v1/api_keys', key));
    const blind = apiClient(server.url, body.secret);
    const [logo, passport] = [await uploaded(await pngOf()), await uploaded(await jpegOf())];
    await good(setLogo(logo));
    const refused = await blind.post('/v1/account', { letterhead: { ...letterhead, logo: passport } });
    expectRefusal(refused, { ...refusals.permission, param: 'letterhead[logo]', says: /needs `file_contents\.read`/ });
    const { body: renamed } = await good(
      blind.post('/v1/account', { letterhead: { ...letterhead, name: 'Ouse', logo } }),
    );
    expect(renamed.letterhead).toMatchObject({ name: 'Ouse', logo });
    await good(blind.post('/v1/account', { letterhead: { ...letterhead, logo: null } }));
  });

  test('is refused for a new connected account, which has no files', async () => {
    const { api: platform } = await addAccount(server);
    const logo = await uploaded(await pngOf(), platform);
    const answer = await platform.post('/v1/accounts', { name: 'Ouse', letterhead: { ...letterhead, logo } });
    expectRefusal(answer, { ...invalid('letterhead[logo]'), says: /new account has no files/ });
  });
});
