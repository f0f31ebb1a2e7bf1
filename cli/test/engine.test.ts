import { expect, test } from 'vitest';
import { Engine } from '../src/listen/engine.ts';
import { attemptsAtOnce, type Reply } from '../src/listen/forwarder.ts';

test('sends the earliest event first when its record has just become free', async () => {
  const sent: string[] = [];
  const ends: (() => void)[] = [];
  const engine = new Engine<{ id: string }>({
    attempt: ({ id }) =>
      new Promise<Reply>((resolve) => {
        sent.push(id);
        ends.push(() => resolve({ status: 200, error: null }));
      }),
    onResult() {},
  });
  const records = ['a', 'a', 'a', ...Array.from({ length: 20 }, (_, number) => `other ${number}`)];
  for (const [index, record] of records.entries()) await engine.add({ id: `evt_${index}` }, record, `evt_${index - 1}`);
  expect(sent).toEqual(['evt_0', ...Array.from({ length: attemptsAtOnce - 1 }, (_, number) => `evt_${number + 3}`)]);
  for (const next of ['evt_1', 'evt_2']) {
    ends[sent.length === attemptsAtOnce ? 0 : sent.length - 1]!();
    await expect.poll(() => sent.at(-1)).toBe(next);
    expect(engine.position).toBe(`evt_${Number(next.slice(4)) - 1}`);
  }
});
