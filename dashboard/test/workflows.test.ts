import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, member, type Browser } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

/** Types into a field with suggestions, and closes these. */
async function choose(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await field.press('Tab');
}

describeInBrowser('workflows', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer({ knowsPort: true, works: true });
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  async function application(): Promise<void> {
    const { body: ada } = await good(
      server.api.post('/v1/customers', { name: 'Ada Lovelace', email: 'ada@example.com' }),
    );
    await good(server.api.post('/v1/applications', { customers: [ada.id] }));
  }

  test('makes a workflow from a form, tries it, activates it, and shows its run step by step', async () => {
    await application();
    await using open = await openDashboard(server, '/workflows', { person: owner });
    const { page, problems } = open;
    await page.getByText('No workflows yet').waitFor();
    await page.getByRole('link', { name: 'Create a workflow' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Check all applicants');
    await choose(page.getByRole('combobox', { name: 'Event' }), 'application.created');
    const step = page.getByRole('group', { name: 'Step 1' });
    await step.getByLabel('Short name').fill('check');
    await choose(step.getByRole('combobox', { name: 'Request' }), '/v1/references');
    await step.getByLabel('Data to send').fill('{"application": "{{event.data.object.id}}", "customer": "{{item}}"}');
    await choose(step.getByRole('combobox', { name: 'Once for each of' }), 'event.data.object.customers');
    await step.getByText('Once for each of the people of the application.').waitFor();
    await step.getByText('Makes a check (application: ‹the application›, person: ‹that one›).').waitFor();
    await page.getByText('The steps need a permission: References (write).').waitFor();
    await page.getByRole('button', { name: 'Allow it' }).click();
    await page.getByText('What the workflow may do: read and change references').click();
    expect(await page.getByRole('checkbox', { name: 'Write: References' }).isChecked()).toBe(true);
    await expectAccessibleInThemes(page, 'workflow-editor');
    await page.getByRole('button', { name: 'Save the draft' }).click();

    await page.getByRole('heading', { name: 'Check all applicants' }).waitFor();
    await page.getByText('Once for each of the people of the application.').waitFor();
    await page.getByText('An application is made (application.created)').waitFor();
    const { id } = (await good(server.api.get('/v1/applications'))).body.data[0];
    await page.getByRole('button', { name: `${id}, ` }).waitFor();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('The event would begin a run. Nothing was sent.').waitFor();
    await page.getByText('would run').waitFor();
    await page.getByText('About: Ada Lovelace').waitFor();
    expect((await good(server.api.get('/v1/references'))).body.count).toBe(0);
    await expectAccessibleInThemes(page, 'workflow');

    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await application();
    const runs = page.getByRole('region', { name: 'Runs' });
    await expect
      .poll(async () => (await good(server.api.get('/v1/workflow_runs?status=succeeded'))).body.count)
      .toBe(1);
    await page.reload();
    await runs.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('region', { name: 'Steps' }).getByText('Succeeded').waitFor();
    await expectAccessibleInThemes(page, 'workflow-run');
    expect((await good(server.api.get('/v1/references'))).body.count).toBe(1);
    expect(problems).toEqual([]);
  });

  test('begins with a ready workflow when a person chooses one', async () => {
    await using open = await openDashboard(server, '/workflows/new', { person: owner, width: 390 });
    const { page, problems } = open;
    await page.getByRole('button', { name: /Begin with/ }).click();
    await page.getByRole('option', { name: 'Check all applicants' }).click();
    await page.getByRole('group', { name: 'Step 1' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Check all applicants');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.waitForURL('**/workflows/wf_*');
    await page.getByText('Makes a check (application: ‹the application›, person: ‹that one›).').waitFor();
    expect(problems).toEqual([]);
  });

  test('finds events, requests and lists by the words of an office', async () => {
    await using open = await openDashboard(server, '/workflows/new', { person: owner });
    const { page, problems } = open;
    await page.getByRole('combobox', { name: 'Event' }).fill('application is made');
    await page.getByRole('option', { name: 'An application is made' }).click();
    await page.getByText('When an application is made.').waitFor();
    const step = page.getByRole('group', { name: 'Step 1' });
    await step.getByRole('combobox', { name: 'Once for each of' }).press('ArrowDown');
    await page.getByRole('option', { name: 'The people of the application' }).click();
    await step.getByRole('combobox', { name: 'Request' }).fill('approves the app');
    await page.getByRole('option', { name: 'Approves the application' }).click();
    await step.getByText('Once for each of the people of the application.').waitFor();
    await step.getByText('Approves the application.').waitFor();
    await step.getByLabel('Data to send').focus();
    const path = step.getByRole('combobox', { name: 'Request' });
    await expect.poll(() => path.inputValue()).toBe('/v1/applications/{{event.data.object.id}}/approve');
    expect(problems).toEqual([]);
  });

  test('keeps a list open when the browser reports the scroll to its field late', async () => {
    await using open = await openDashboard(server, '/workflows/new', { person: owner });
    const { page, problems } = open;
    const field = page.getByRole('group', { name: 'Step 1' }).getByRole('combobox', { name: 'Once for each of' });
    await choose(page.getByRole('combobox', { name: 'Event' }), 'application.created');
    await page.getByText('When an application is made.').waitFor();
    // The page is busy between both, so that the scroll is reported after the key.
    await field.evaluate(async (node: HTMLInputElement) => {
      const scrolled = new Promise((resolve) => document.addEventListener('scrollend', resolve, { once: true }));
      // oxlint-disable-next-line unicorn/consistent-function-scoping -- The page gets the outer function alone.
      const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
      scrollTo(0, 0);
      await frame();
      await frame();
      node.focus();
      node.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));
      await scrolled;
      await frame();
    });
    const list = page.getByRole('option', { name: 'The people of the application' });
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
    await list.waitFor();
    await page.mouse.wheel(0, -50);
    await list.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  test('keeps the fields of a step when the event changes what they offer', async () => {
    await using open = await openDashboard(server, '/workflows/new', { person: owner });
    const { page, problems } = open;
    const step = page.getByRole('group', { name: 'Step 1' });
    const field = step.getByRole('combobox', { name: 'Once for each of' });
    await step.getByRole('button', { name: 'Add a condition' }).click();
    const fields = [field, step.getByRole('combobox', { name: 'Value to look at' })];
    const nodes = await Promise.all(fields.map((one) => one.elementHandle()));
    await choose(page.getByRole('combobox', { name: 'Event' }), 'application.created');
    await page.getByText('When an application is made.').waitFor();
    const areKept = nodes.map((node) => node.evaluate(({ isConnected }) => isConnected));
    expect(await Promise.all(areKept)).toEqual([true, true]);
    await fields[1]!.press('ArrowDown');
    await page.getByRole('option').filter({ hasText: 'event.data.object.move_in_date' }).click();
    await field.press('ArrowDown');
    await page.getByRole('option', { name: 'The people of the application' }).click();
    await expect.poll(() => field.inputValue()).toBe('event.data.object.customers');
    expect(problems).toEqual([]);
  });

  test('shows the fault of a step beside its field, and keeps what was typed', async () => {
    await using open = await openDashboard(server, '/workflows/new', { person: owner, width: 390 });
    const { page } = open;
    await page.getByLabel('Name', { exact: true }).fill('Faulty');
    await choose(page.getByRole('combobox', { name: 'Event' }), 'aplication.created');
    const step = page.getByRole('group', { name: 'Step 1' });
    await choose(step.getByRole('combobox', { name: 'Request' }), '/v1/nothing');
    await step.getByLabel('Data to send').fill('{"customer": ');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await step.getByText('This is no JSON object.').waitFor();
    await step.getByLabel('Data to send').fill('{}');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText(/application\.created/).waitFor();
    await expectAccessibleInThemes(page, 'workflow-faults');
    expect(await step.getByRole('combobox', { name: 'Request' }).inputValue()).toBe('/v1/nothing');
  });

  test('changes the steps of a workflow in their order', async () => {
    const { body } = await good(
      server.api.post('/v1/workflows', {
        name: 'Two waits',
        trigger: { type: 'reference.completed', filters: [{ path: 'data.object.outcome', op: 'eq', value: 'accept' }] },
        steps: [
          { id: 'first', action: 'wait', seconds: 7_200 },
          { id: 'second', action: 'wait', seconds: 86_400 },
        ],
        permissions: [],
      }),
    );
    await using open = await openDashboard(server, `/workflows/${body.id}/edit`, { person: owner, width: 1280 });
    const { page, problems } = open;
    const first = page.getByRole('group', { name: 'Step 1' });
    expect(await first.getByRole('spinbutton', { name: 'Wait for' }).inputValue()).toBe('2');
    await page.getByRole('button', { name: 'Move up: step 2' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // The editor has the same sentences.
    await page.waitForURL(`**/workflows/${body.id}`);
    await page.getByText('Waits 2 hours.').waitFor();
    const { steps, trigger, version } = (await good(server.api.get(`/v1/workflows/${body.id}`))).body;
    expect(steps.map(({ id }: { id: string }) => id)).toEqual(['second', 'first']);
    expect(trigger).toEqual(body.trigger);
    expect(version).toBe(2);
    expect(problems).toEqual([]);
  });

  test('saves nothing and keeps the typed text when the workflow was changed meanwhile', async () => {
    const wait = { id: 'first', action: 'wait', seconds: 7_200 };
    const { body } = await good(
      server.api.post('/v1/workflows', {
        name: 'One wait',
        trigger: { type: 'reference.completed', filters: [] },
        steps: [wait],
        permissions: [],
      }),
    );
    await using open = await openDashboard(server, `/workflows/${body.id}/edit`, { person: owner, width: 1280 });
    const { page } = open;
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('My wait');
    const steps = [wait, { id: 'second', action: 'wait', seconds: 86_400 }];
    await good(server.api.post(`/v1/workflows/${body.id}`, { steps }));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('This workflow has changed since you opened it').waitFor();
    expect(await name.inputValue()).toBe('My wait');
    const stored = (await good(server.api.get(`/v1/workflows/${body.id}`))).body;
    expect(stored).toMatchObject({ name: 'One wait', steps: [{ id: 'first' }, { id: 'second' }] });
  });

  test('says when a workflow was last activated, and not that it is active, when it is paused', async () => {
    const steps = [{ id: 'first', action: 'wait', seconds: 7_200 }];
    const trigger = { type: 'reference.completed', filters: [] };
    const input = { name: 'A pause', trigger, steps, permissions: [] };
    const { id } = (await good(server.api.post('/v1/workflows', input))).body;
    await good(server.api.post(`/v1/workflows/${id}/activate`));
    await good(server.api.post(`/v1/workflows/${id}/pause`));
    await using open = await openDashboard(server, `/workflows/${id}`, { person: owner });
    await open.page.getByText('Last activated').waitFor();
    expect(await open.page.getByText('Active since').count()).toBe(0);
  });

  test('says which version a retry takes when the workflow was changed after a failed run', async () => {
    const failing = { id: 'check', action: 'api', path: '/v1/references/ref_0VbZr1fe00bS0eOQrul9Xo/cancel', body: {} };
    const { body: workflow } = await good(
      server.api.post('/v1/workflows', {
        name: 'Cancels nothing',
        trigger: { type: 'customer.created' },
        steps: [failing, { id: 'later', action: 'wait', seconds: 60 }],
        permissions: ['references.write'],
      }),
    );
    await good(server.api.post(`/v1/workflows/${workflow.id}/activate`));
    await good(server.api.post('/v1/customers', { name: 'Grace Hopper' }));
    const failed = async (): Promise<{ id: string }[]> =>
      (await good(server.api.get(`/v1/workflow_runs?status=failed&workflow=${workflow.id}`))).body.data;
    await expect.poll(async () => (await failed()).length).toBe(1);
    const [run] = await failed();
    await using open = await openDashboard(server, `/workflow-runs/${run!.id}`, { person: owner, width: 390 });
    const { page, problems } = open;
    await page.getByRole('heading', { name: 'The step “check” has failed' }).waitFor();
    await page.getByRole('heading', { name: 'Before you retry' }).waitFor();
    await page.getByText('Still to come: later').waitFor();
    await good(server.api.post(`/v1/workflows/${workflow.id}`, { steps: [{ ...failing, id: 'other' }] }));
    await page.reload();
    await page.getByRole('heading', { name: 'The workflow was changed since' }).waitFor();
    await page.getByText('A retry takes the steps of version 1 again').waitFor();
    await expectAccessibleInThemes(page, 'workflow-run-failed');
    await page.goto(`/dashboard/workflows/${workflow.id}`);
    await page.getByRole('row', { name: /Grace Hopper Failed check:/ }).waitFor();
    await page.goto('/dashboard/workflows');
    await page.getByRole('heading', { name: 'A run has failed in the last 7 days' }).waitFor();
    await page.getByRole('row', { name: 'Cancels nothing Active a person is made' }).waitFor();
    await expectAccessibleInThemes(page, 'workflows-failed');
    await page.getByRole('main').getByRole('listitem').getByRole('link', { name: 'Cancels nothing' }).click();
    await page.getByRole('heading', { name: 'The step “check” has failed' }).waitFor();
    expect(problems).toEqual([]);
    await using later = await openDashboard(server, '/workflows', { person: owner, rewrite: aged });
    await later.page.getByRole('row', { name: 'Cancels nothing Active a person is made' }).waitFor();
    await later.page.waitForLoadState('networkidle');
    expect(await later.page.getByText('failed in the last 7 days').count()).toBe(0);
  });

  test('counts failed runs up to 50, and says that there may be more', async () => {
    const path = '/v1/references/ref_0VbZr1fe00bS0eOQrul9Xo/cancel';
    const { body: workflow } = await good(
      server.api.post('/v1/workflows', {
        name: 'Fails each time',
        trigger: { type: 'building.created' },
        steps: [{ id: 'check', action: 'api', path, body: {} }],
        permissions: ['references.write'],
      }),
    );
    await good(server.api.post(`/v1/workflows/${workflow.id}/activate`));
    const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
    await good(server.api.post('/v1/buildings', { name: 'Coppergate House', address }));
    const failed = async (): Promise<unknown[]> =>
      (await good(server.api.get(`/v1/workflow_runs?status=failed&workflow=${workflow.id}`))).body.data;
    await expect.poll(async () => (await failed()).length).toBe(1);
    for (const [has_more, title] of [
      [false, '50 runs have failed in the last 7 days'],
      [true, '50 or more runs have failed in the last 7 days'],
    ] as const) {
      const rewrite = (json: unknown): unknown => fiftyRuns(json, has_more);
      await using open = await openDashboard(server, '/workflows', { person: owner, rewrite });
      await open.page.getByRole('heading', { name: title, exact: true }).waitFor();
      expect(open.problems).toEqual([]);
    }
  });

  test('offers no change when the role may not write', async () => {
    const viewer = await member(server, owner, 'viewer', 'viewer@example.com');
    await using open = await openDashboard(server, '/workflows', { person: viewer, width: 390 });
    const { page } = open;
    await page.getByRole('heading', { name: 'Workflows' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create a workflow' }).isDisabled()).toBe(true);
    await expectAccessibleInThemes(page, 'workflows-viewer');
  });
});

/** Returns a response with failures that are eight days older. */
function aged(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  const { data, failed_at: at } = json as { data?: unknown; failed_at?: number | null };
  if (Array.isArray(data)) return { ...json, data: data.map(aged) };
  return typeof at === 'number' ? { ...json, failed_at: at - 8 * 86_400 } : json;
}

/** Returns a list of failed runs with fifty copies of its first run. */
function fiftyRuns(json: unknown, hasMore: boolean): unknown {
  const { data } = json as { data?: { id: string; object: string }[] };
  const run = Array.isArray(data) ? data[0] : undefined;
  if (run?.object !== 'workflow_run') return json;
  return {
    ...(json as object),
    has_more: hasMore,
    data: Array.from({ length: 50 }, (_, at) => ({ ...run, id: `${run.id}${at}` })),
  };
}
