import { fileURLToPath } from 'node:url';
import { startChild } from '../child.ts';

/** The request that makes one event. The client puts the event's id into each `eventIdPlace` of the body. */
export interface EventRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export const eventIdPlace = '{event id}';

export type EventsOrder =
  | { kind: 'at_rate'; perSecond: number; seconds: number; seed: number }
  | { kind: 'as_fast_as'; clients: number; seconds: number };

export interface EventsReport {
  sent: number;
  /** Not answered with 2xx. */
  failed: number;
  firstFailure: string | null;
  /** The time of each accepted event's response, by the clock that all processes share. */
  answers: [eventId: string, answeredAtMs: number][];
}

/** A client in its own process that makes events by any product's API. */
export interface EventsLoad {
  run(order: EventsOrder): Promise<EventsReport>;
  stop(): Promise<void>;
}

export async function startEventsLoad(url: string, request: EventRequest, logDir: string): Promise<EventsLoad> {
  const child = startChild(fileURLToPath(new URL('events-process.ts', import.meta.url)), {
    name: 'events-load',
    logDir,
    env: { URL: url, REQUEST: JSON.stringify(request) },
  });
  await child.message();
  return {
    run(order) {
      const report = child.message<EventsReport>();
      child.process.send(order);
      return report;
    },
    stop: () => child.stop(),
  };
}
