import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ArrivalsOrder, ArrivalsReport } from './arrivals.ts';
import { arrivalTimesMs, clockMs, randomOf } from './schedule.ts';

/*
 * A client that sends requests when they are due, regardless of outstanding ones. It uses minimal HTTP over kept connections. On a small
 * machine, most processor time is thus left to what is measured.
 */

const { URL: url, METHOD: method, AUTHORIZATION: authorization, BODY: body = '', ID_START: idStart } = process.env;
const { hostname, port } = new URL(url!);
const idCount = Number(process.env.ID_COUNT);

const connectionsMax = 256;
const waitingMax = 20_000;

const head = `Host: ${hostname}\r\nAuthorization: ${authorization}\r\n`;
const bodyHead = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;

/** Returns a new request: a POST with a new key, or a GET of one of many records. */
function requestText(): string {
  if (method === 'POST') {
    return `POST /v1/references HTTP/1.1\r\n${head}${bodyHead}Idempotency-Key: ${randomUUID()}\r\n\r\n${body}`;
  }
  const number = String(1 + Math.floor(random() * idCount)).padStart(14, '0');
  return `GET /v1/references/${idStart}${number} HTTP/1.1\r\n${head}\r\n`;
}

interface Connection {
  socket: Socket;
  dueAtMs: number;
}

const free: Connection[] = [];
const waiting: number[] = [];
let connections = 0;
let random = randomOf(1);
let report = nothing();
let latenciesMs: number[] = [];
let measuredFromMs = 0;
let record = false;
let onAnswer = (): void => {};

function nothing(): ArrivalsReport {
  return { sent: 0, answered: 0, failed: 0, p50Ms: 0, p99Ms: 0, mostMs: 0, perSecond: 0, answers: [] };
}

function send(dueAtMs: number): void {
  report.sent++;
  // In turn, so that none is idle for as long as a server keeps it.
  const connection = free.shift() ?? (connections < connectionsMax ? open() : null);
  if (connection) sendOver(connection, dueAtMs);
  else waiting.push(dueAtMs);
  if (waiting.length > waitingMax) throw new Error(`The server is ${waitingMax} requests behind.`);
}

function sendOver(connection: Connection, dueAtMs: number): void {
  connection.dueAtMs = dueAtMs;
  connection.socket.write(requestText());
}

function open(): Connection {
  connections++;
  const connection = { socket: connect(Number(port), hostname), dueAtMs: 0 };
  let pending = '';
  connection.socket.setNoDelay(true).setEncoding('latin1');
  connection.socket.on('data', (chunk: string) => {
    pending += chunk;
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(pending.slice(0, headEnd))?.[1]);
    if (pending.length < headEnd + 4 + length) return;
    const answer = pending;
    pending = '';
    answered(connection, answer);
  });
  connection.socket.on('close', () => {
    throw new Error('The server closed a connection.');
  });
  return connection;
}

function answered(connection: Connection, answer: string): void {
  const atMs = clockMs();
  const { dueAtMs } = connection;
  if (!answer.startsWith('HTTP/1.1 200')) report.failed++;
  if (dueAtMs >= measuredFromMs) {
    report.answered++;
    latenciesMs.push(atMs - dueAtMs);
    if (record) report.answers.push([/"id":"(\w+)"/.exec(answer)?.[1] ?? '', atMs]);
  }
  const next = waiting.shift();
  if (next === undefined) free.push(connection);
  else sendOver(connection, next);
  onAnswer();
}

/** Returns the measurements since the last report. */
function told(seconds: number): ArrivalsReport {
  const sorted = Float64Array.from(latenciesMs).toSorted();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const [p50Ms, p99Ms, mostMs] = [at(0.5), at(0.99), sorted.at(-1) ?? 0];
  const all = { ...report, p50Ms, p99Ms, mostMs, perSecond: report.answered / seconds };
  report = nothing();
  latenciesMs = [];
  return all;
}

/** Sends independent arrivals, at this average rate a second. */
async function atRate({
  perSecond,
  seconds,
  warmUpSeconds,
  everySeconds,
}: ArrivalsOrder & { kind: 'at_rate' }): Promise<void> {
  const startedAtMs = clockMs();
  measuredFromMs = startedAtMs + warmUpSeconds * 1000;
  const endsAtMs = measuredFromMs + seconds * 1000;
  let tellsAtMs = measuredFromMs + everySeconds * 1000;
  for await (const dueAtMs of arrivalTimesMs({ perSecond, startedAtMs, endsAtMs, random })) {
    if (dueAtMs >= tellsAtMs) {
      process.send!(told(everySeconds));
      tellsAtMs += everySeconds * 1000;
    }
    send(dueAtMs);
  }
  await untilAnswered();
  process.send!(told(everySeconds));
}

/** Runs this many clients. Each sends its next request after the last response. */
async function asFastAs({ clients, seconds, warmUpSeconds }: ArrivalsOrder & { kind: 'as_fast_as' }): Promise<void> {
  measuredFromMs = clockMs() + warmUpSeconds * 1000;
  const endsAtMs = measuredFromMs + seconds * 1000;
  onAnswer = () => void (clockMs() < endsAtMs && send(clockMs()));
  for (let client = 0; client < clients; client++) send(clockMs());
  await delay((warmUpSeconds + seconds) * 1000);
  onAnswer = () => {};
  await untilAnswered();
  process.send!(told(seconds));
}

async function untilAnswered(): Promise<void> {
  while (free.length < connections) await delay(1);
}

process.on('message', (order: ArrivalsOrder) => {
  random = randomOf(order.seed);
  record = order.kind === 'at_rate' && order.record;
  void (order.kind === 'at_rate' ? atRate(order) : asFastAs(order));
});
process.on('disconnect', () => process.exit(0));
process.send!({});
