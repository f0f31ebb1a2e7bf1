import { createServer, type AddressInfo, type Socket } from 'node:net';

export type ReceiverOrder = ResetOrder | { kind: 'report_at'; count: number } | { kind: 'give_up' };

interface ResetOrder {
  kind: 'reset';
  record: boolean;
  /** Finds an event's id in a body. Requests without one are then ignored, and so are repeated ids. Null finds the record's id. */
  idPattern: string | null;
}

export interface ReceiverReport {
  count: number;
  /** By the clock that all processes of the machine share, in milliseconds. */
  firstAtMs: number;
  lastAtMs: number;
  /** The arrival time of each record's delivery. Empty unless requested. */
  receipts: [recordId: string, atMs: number][];
}

/*
 * Uses minimal HTTP, so that a small machine's processor time is left to what is measured. It reads requests with a Content-Length, and
 * responds in their order.
 */

const answer = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok';

const recordIdPattern = /"object":\{"id":"(\w+)"/;

let report: ReceiverReport = nothing();
let record = false;
let eventIdPattern: RegExp | null = null;
const seen = new Set<string>();
let awaited: number | null = null;

function nothing(): ReceiverReport {
  return { count: 0, firstAtMs: 0, lastAtMs: 0, receipts: [] };
}

function onConnection(socket: Socket): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(pending.toString('latin1', 0, headEnd))?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (pending.length < end) return;
      onRequest(pending.subarray(headEnd + 4, end));
      socket.write(answer);
      pending = pending.subarray(end);
    }
  });
}

function onRequest(body: Buffer): void {
  const atMs = Number(process.hrtime.bigint()) / 1e6;
  const id = record ? (eventIdPattern ?? recordIdPattern).exec(body.toString('latin1'))?.[1] : undefined;
  if (eventIdPattern !== null) {
    if (id === undefined || seen.has(id)) return;
    seen.add(id);
  }
  report.lastAtMs = atMs;
  if (report.count === 0) report.firstAtMs = atMs;
  report.count++;
  if (id !== undefined) report.receipts.push([id, atMs]);
  tellIfAwaited();
}

function tellIfAwaited(): void {
  if (awaited !== null && report.count >= awaited) tell();
}

function tell(): void {
  awaited = null;
  process.send!(report);
}

process.on('message', (order: ReceiverOrder) => {
  if (order.kind === 'reset') {
    report = nothing();
    seen.clear();
    ({ record } = order);
    eventIdPattern = order.idPattern === null ? null : new RegExp(order.idPattern);
    process.send!({});
  } else if (order.kind === 'report_at') {
    awaited = order.count;
    tellIfAwaited();
  } else if (awaited !== null) {
    tell();
  }
});
process.on('disconnect', () => process.exit(0));

const server = createServer(onConnection).listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as AddressInfo).port });
});
