import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../crash-checker/api.ts';
import { parseObject, textOf, type JsonObject } from '../crash-checker/json.ts';
import { observe } from '../crash-checker/observe.ts';
import { Random } from '../crash-checker/random.ts';
import { Subscriber } from '../event-stream/subscriber.ts';
import { judgeStreams } from '../event-stream/judge.ts';
import { Killer } from '../idempotency-checker/kills.ts';
import { openSite, type Site } from '../site.ts';
import type { FaultReport, FaultRun, PlayOptions } from './fault-run.ts';

const writers = 16;
const followerCount = 6;

/** How many writers change the same reference. */
const writersTogether = 2;

/** A writer makes a new reference after this many changes. */
const changesPerReference = 20;

const writerPauseMs = { least: 30, most: 150 };
const roundPauseMs = { least: 200, most: 1_000 };

/** After the last write, the remaining events come within this time, in milliseconds. */
const catchUpMs = 30_000;

/** Followers of all events are cut off, and their processes killed. Each follower has every event once, in one order. */
export const stream: FaultRun = {
  name: 'stream',
  title: 'followers of the event stream are cut off, and its two processes killed: each event once, in one order',
  unit: 'cuts and kills',
  sizes: { ci: 5, gate: 20, full: 100 },
  play: playStream,
};

async function playStream(rounds: number, { seed, print }: PlayOptions): Promise<FaultReport> {
  const random = new Random(`seed ${seed}`);
  const site = await openSite({ servers: [{}, {}], settings: { TENURE_ROLE: 'api' } });
  const apis = site.servers.map(({ url }) => new Api([url], site.secretKey));
  const followers: Subscriber[] = [];
  const stop = new AbortController();
  try {
    for (const server of site.servers) await server.start();
    // The first request pins the account, which is an event.
    await apis[0]!.read('/v1/references');
    const before = (await observe(apis[0]!, [], 0)).events.items.map((event) => textOf(event, 'id'));
    followers.push(...followersOf(site, before[0]!, random));
    for (const follower of followers) follower.start();
    const writing = writeOn(apis, random, stop.signal);
    const killer = new Killer(site.servers);
    let cuts = 0;
    for (let round = 0; round < rounds; round++) {
      await sleep(random.between(roundPauseMs.least, roundPauseMs.most));
      if (random.chance(0.5)) {
        for (const follower of followers) follower.cut();
        cuts++;
      } else {
        killer.strike(random.fork(`round ${round}`));
        await killer.untilAllRun();
      }
      if (round % 10 === 9) print(`${round + 1} of ${rounds} cuts and kills, ${followers[0]!.received.length} events`);
    }
    stop.abort();
    await writing;
    const { events } = await observe(apis[0]!, [], 0);
    const listed = events.items.filter((event) => !before.includes(textOf(event, 'id')));
    await untilAllHave(followers, listed.length);
    const violations = judgeStreams(
      listed,
      followers.map(({ received }) => received.map(({ event }) => event as JsonObject)),
    );
    return {
      done: rounds,
      counts: {
        cuts,
        kills: killer.kills,
        events: listed.length,
        followers: followers.length,
        streams: followers.reduce((sum, { connections }) => sum + connections, 0),
      },
      violations,
    };
  } finally {
    stop.abort();
    for (const follower of followers) follower.stop();
    for (const api of apis) api.close();
    await site.close();
  }
}

function followersOf({ servers, secretKey }: Site, after: string, random: Random): Subscriber[] {
  const urls = servers.map(({ url }) => url);
  return Array.from(
    { length: followerCount },
    (_, number) => new Subscriber(urls, secretKey, after, random.fork(`follower ${number}`)),
  );
}

/** Makes references and changes them in parallel until `stop`. Some writers share a reference. */
async function writeOn(apis: readonly Api[], random: Random, stop: AbortSignal): Promise<void> {
  const idsOf = Array.from({ length: writers / writersTogether }, (): string[] => []);
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const own = random.fork(`writer ${writer}`);
      const ids = idsOf[Math.floor(writer / writersTogether)]!;
      for (let number = 0; !stop.aborted; number++) {
        const metadata = { step: `${writer}-${number}` };
        const isNew = ids.length === 0 || number % changesPerReference === 0;
        const path = isNew ? '/v1/references' : `/v1/references/${ids.at(-1)}`;
        const body = isNew ? { application: 'app_1', metadata } : { metadata };
        const result = await own.pick(apis)!.send({ method: 'POST', path, body, key: null });
        if (isNew && result.kind === 'answered' && result.status === 200) {
          ids.push(textOf(parseObject(result.text) ?? undefined, 'id'));
        }
        await sleep(own.between(writerPauseMs.least, writerPauseMs.most));
      }
    }),
  );
}

/** Waits until all have this many events, or have had more than enough time. Their events then show what is missing. */
async function untilAllHave(followers: readonly Subscriber[], count: number): Promise<void> {
  const giveUpAtMs = performance.now() + catchUpMs;
  while (followers.some(({ received }) => received.length < count) && performance.now() < giveUpAtMs) await sleep(20);
}
