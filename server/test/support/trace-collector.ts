import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A span as it arrived. Ids are hexadecimal. */
export interface CollectedSpan {
  traceId: string;
  id: string;
  /** Empty for the first span of a trace. */
  parentId: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; id: string }[];
  isError: boolean;
  /** What its process says about itself. */
  resource: Record<string, string | number | boolean>;
}

export interface TraceCollector {
  /** The base address, without the path of traces. */
  url: string;
  spans: CollectedSpan[];
  /** The bodies as they came. */
  bodies: Buffer[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
}

/** Starts a collector on loopback that takes traces by OTLP over HTTP in the binary encoding. It answers 200, or as `respond` does. */
export async function traceCollectorForTest(respond?: (response: ServerResponse) => void): Promise<TraceCollector> {
  const collector: TraceCollector = { url: '', spans: [], bodies: [], requests: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      collector.requests.push({ path: request.url!, headers: request.headers });
      collector.bodies.push(body);
      collector.spans.push(...spansIn(body));
      if (respond) respond(response);
      else response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

/** Reads `ExportTraceServiceRequest`. The numbers are those of the fields in opentelemetry-proto. */
function spansIn(body: Buffer): CollectedSpan[] {
  return messages(body, 1).flatMap((resourceSpans) => {
    const resource = messages(resourceSpans, 1).map((described) => attributesIn(described, 1))[0] ?? {};
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => spanIn(span, resource));
  });
}

function spanIn(span: Buffer, resource: CollectedSpan['resource']): CollectedSpan {
  const hex = (message: Buffer, field: number): string => messages(message, field)[0]?.toString('hex') ?? '';
  const status = messages(span, 15)[0];
  return {
    traceId: hex(span, 1),
    id: hex(span, 2),
    parentId: hex(span, 4),
    name: messages(span, 5)[0]!.toString(),
    kind: kinds[numberIn(span, 6)]!,
    attributes: attributesIn(span, 9),
    links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), id: hex(link, 2) })),
    isError: status !== undefined && numberIn(status, 3) === 2,
    resource,
  };
}

function attributesIn(message: Buffer, field: number): Record<string, string | number | boolean> {
  return Object.fromEntries(
    messages(message, field).map((pair) => {
      const value = messages(pair, 2)[0]!;
      const text = messages(value, 1)[0];
      return [messages(pair, 1)[0]!.toString(), text === undefined ? numberIn(value, 3) : text.toString()];
    }),
  );
}

/** Returns the values of a field that have a length: messages, texts and bytes. */
function messages(message: Buffer, field: number): Buffer[] {
  return fieldsOf(message).flatMap(([number, value]) => (number === field && typeof value !== 'number' ? [value] : []));
}

function numberIn(message: Buffer, field: number): number {
  const found = fieldsOf(message).find(([number]) => number === field)?.[1] ?? 0;
  return typeof found === 'number' ? found : 0;
}

/** Splits a message of Protocol Buffers into its fields. */
function fieldsOf(message: Buffer): [number: number, value: number | Buffer][] {
  const fields: [number, number | Buffer][] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wireType = tag & 7;
    if (wireType === 0) {
      fields.push([tag >> 3, varint()]);
      continue;
    }
    const length = wireType === 2 ? varint() : wireType === 1 ? 8 : 4;
    fields.push([tag >> 3, message.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}
