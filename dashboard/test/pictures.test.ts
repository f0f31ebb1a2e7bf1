import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { formOf } from '../../server/test/support/files.ts';
import { jpegOf, pngOf } from '../../server/test/support/pictures.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('pictures', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer({ knowsPort: true });
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test.each([390, 1280])('shows a photo that a person uploads when the page is %i wide', async (width) => {
    await using open = await openDashboard(server, '/files', { person: owner, width });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Add a file' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add a file' });
    const photo = { name: 'passport.jpg', mimeType: 'image/jpeg', buffer: await jpegOf(1_600, 1_200) };
    await dialog.getByLabel('File').setInputFiles(photo);
    await expectAccessibleInThemes(page, 'add-photo');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const picture = page.getByRole('img', { name: 'passport.jpg' });
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1_600);
    expect((await picture.boundingBox())!.width).toBeLessThanOrEqual(width);
    await page.getByText('JPEG', { exact: true }).waitFor();
    await expectAccessibleInThemes(page, 'photo');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('passport.jpg');
    expect(problems).toEqual([]);
  });

  test('says what is wrong when a person uploads a text under the name of a photo', async () => {
    await using open = await openDashboard(server, '/files', { person: owner, width: 390 });
    const { page } = open;
    await page.getByRole('button', { name: 'Add a file' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add a file' });
    const photo = { name: 'passport.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no photo') };
    await dialog.getByLabel('File').setInputFiles(photo);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText(/^The file must be a PDF, a JPEG or a PNG/).waitFor();
  });

  test('shows a shared photo to a person without an account on a phone', async () => {
    const form = formOf({ purpose: 'identity_document' }, await jpegOf(1_200, 1_600), 'passport.jpg');
    const { id } = (await good(server.api.post('/v1/files', form))).body;
    const { url } = (await good(server.api.post(`/v1/files/${id}/links`, {}))).body;
    await using stranger = await openDashboard(server, '/nowhere', { session: { user: null }, width: 390 });
    const { page, problems } = stranger;
    await page.goto(url);
    await page.getByRole('button', { name: 'Open the document' }).click();
    const picture = page.getByRole('img', { name: 'The shared picture, passport.jpg' });
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1_200);
    expect((await picture.boundingBox())!.width).toBeLessThanOrEqual(390);
    await expectAccessibleInThemes(page, 'shared-photo');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download the picture \(JPEG, / }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('passport.jpg');
    expect(problems.filter((problem) => !problem.includes('nowhere'))).toEqual([]);
  });

  test('sets, shares and removes a logo when an owner chooses one in the settings', async () => {
    await using open = await openDashboard(server, '/settings', { person: owner, width: 390 });
    const { page, problems } = open;
    const sender = page.getByRole('region', { name: 'Letterhead' });
    await sender.getByLabel('Name of the sender').fill('Northern Homes Ltd');
    await sender.getByLabel('House and street').fill('4 Stonegate');
    await sender.getByLabel('Town or city').fill('York');
    await sender.getByLabel('Postcode').fill('YO1 8AS');
    await sender.getByLabel('Phone number for questions (optional)').fill('01904 555 012');
    await sender.getByLabel('Account name').fill('Northern Homes Ltd');
    await sender.getByRole('button', { name: 'Save the letterhead' }).click();
    await sender.getByText(/The bank account has no number/).waitFor();
    await sender.getByLabel('Sort code').fill('12-34-56');
    await sender.getByLabel('Account number').fill('12345678');
    await sender.getByLabel('Colour of buttons in the portal').fill('blue');
    await sender.getByRole('button', { name: 'Save the letterhead' }).click();
    await sender.getByText(/brand_color/).waitFor();
    await sender.getByLabel('Colour of buttons in the portal').fill('#1d4ed8');
    await sender.getByRole('button', { name: 'Save the letterhead' }).click();
    await page.getByText('The letterhead is saved.').waitFor();
    expect((await good(server.api.get('/v1/account'))).body.letterhead).toEqual({
      name: 'Northern Homes Ltd',
      address: { line1: '4 Stonegate', line2: null, city: 'York', postal_code: 'YO1 8AS', country: 'GB' },
      email: null,
      phone: '01904 555 012',
      registration: null,
      bank: {
        account_name: 'Northern Homes Ltd',
        bank_name: null,
        sort_code: '123456',
        account_number: '12345678',
        iban: null,
        bic: null,
      },
      logo: null,
      brand_color: '#1d4ed8',
    });
    await expectAccessibleInThemes(page, 'letterhead-settings');
    const section = page.getByRole('region', { name: 'Logo' });
    await section.getByRole('button', { name: 'Choose a logo' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a logo' });
    const logo = { name: 'logo.png', mimeType: 'image/png', buffer: await pngOf(800, 200) };
    await dialog.getByLabel('Logo').setInputFiles(logo);
    await expectAccessibleInThemes(page, 'logo-dialog');
    await dialog.getByRole('button', { name: 'Use this logo' }).click();
    await section.getByRole('img', { name: 'Logo of Northern Homes Ltd' }).waitFor();
    await section.scrollIntoViewIfNeeded();
    await expectAccessibleInThemes(page, 'logo-settings');
    const { letterhead } = (await good(server.api.get('/v1/account'))).body;
    expect(letterhead).toMatchObject({ name: 'Northern Homes Ltd', logo: expect.stringMatching(/^file_/) });

    const { id } = (await good(server.api.post('/v1/files', formOf()))).body;
    const { url } = (await good(server.api.post(`/v1/files/${id}/links`, {}))).body;
    await using stranger = await openDashboard(server, '/nowhere', { session: { user: null }, width: 390 });
    await stranger.page.goto(url);
    await stranger.page.getByRole('button', { name: 'Open the document' }).click();
    const shown = stranger.page.getByRole('img', { name: 'Logo of Northern Homes Ltd' });
    await shown.waitFor();
    await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(640);
    await expectAccessibleInThemes(stranger.page, 'link-with-logo');

    await section.getByRole('button', { name: 'Remove the logo' }).click();
    await section.getByRole('button', { name: 'Choose a logo' }).waitFor();
    expect((await good(server.api.get('/v1/account'))).body.letterhead).toEqual({ ...letterhead, logo: null });
    // The two refusals of the letterhead.
    expect(problems.filter((problem) => !problem.includes('status of 400'))).toEqual([]);
  });
});
