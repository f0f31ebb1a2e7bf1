import { expect, test } from 'vitest';
import { rounds } from '../support/rounds.ts';
import { inParallel } from '../support/routes.ts';
import { good, serverForTest } from '../support/server.ts';

test('counts every reference of an application exactly when many are created or ended at once', async () => {
  const total = rounds(100, 300);
  const { api } = await serverForTest();
  const application = (await good(api.post('/v1/applications', {}))).body.id;
  const rollUp = async () => (await good(api.get(`/v1/applications/${application}`))).body.references;
  const made: { id: string }[] = [];
  await inParallel(Array.from({ length: total }), 32, async () => {
    made.push((await good(api.post('/v1/references', { application }))).body);
  });
  expect(await rollUp()).toMatchObject({ total, by_status: { pending: total } });
  await inParallel([...made.entries()], 32, async ([index, { id }]) => {
    const path = `/v1/references/${id}`;
    await good(index % 4 === 0 ? api.post(`${path}/cancel`) : api.post(path, { outcome: 'accept' }));
  });
  const accept = (total * 3) / 4;
  expect(await rollUp()).toMatchObject({
    total,
    by_status: { complete: accept, canceled: total - accept },
    by_outcome: { accept },
    result: 'accept',
  });
});
