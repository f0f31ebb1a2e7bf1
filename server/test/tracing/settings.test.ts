import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { openTracing } from '../../src/tracing/open.ts';
import { readTracingSettings } from '../../src/tracing/settings.ts';
import { good, serverForTest } from '../support/server.ts';
import { traceCollectorForTest } from '../support/trace-collector.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.internal:4318' };
const product = { version: '1.2.3', role: 'all', mode: 'sandbox' };

describe('the settings of traces', () => {
  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, 'http://collector:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/otlp/' }, 'https://collector/otlp/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/mine' }, 'http://collector:4318/mine'],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/v1/traces' }, 'https://other/v1/traces'],
  ])('name the address as the standard says when they are %j', (environment, url) => {
    expect(readTracingSettings(environment)).toMatchObject({ settings: { url }, warnings: [] });
  });

  test('have the headers, the sampler and the attributes when these are set', () => {
    const environment = {
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=general,authorization=Basic%20YTpi, tenant = one ',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=own',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production,service.name=ignored,city=%E6%9D%B1',
      OTEL_SERVICE_NAME: 'lettings',
    };
    const { settings, warnings } = readTracingSettings(environment);
    expect(warnings).toEqual([]);
    expect(settings).toEqual({
      url: 'http://collector.internal:4318/v1/traces',
      headers: { 'api-key': 'own', authorization: 'Basic YTpi', tenant: 'one' },
      sampler: { root: { share: 0.25 }, isParentBased: true },
      resource: { 'deployment.environment.name': 'production', 'service.name': 'lettings', city: '東' },
    });
  });

  test.each([
    [{}],
    [{ OTEL_SERVICE_NAME: 'tenure', OTEL_TRACES_SAMPLER: 'nonsense' }],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ])('record nothing, without a warning, when they are %j', (environment) => {
    expect(readTracingSettings(environment)).toEqual({ settings: null, warnings: [] });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://user:password@collector'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ])('record nothing, and say why without a password, when %s is wrong: %s', (name, value) => {
    const { settings, warnings } = readTracingSettings({ ...endpoint, [name]: value });
    expect(settings).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('No traces are recorded.')]);
    expect(warnings[0]).not.toContain('password@');
  });

  test.each([
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', { sampler: { root: 'all', isParentBased: true } }],
    ['OTEL_TRACES_SAMPLER_ARG', '7', { sampler: { root: 'all', isParentBased: false } }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret-without-name', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=secret%zz', { headers: {} }],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=secret%0Aline', { headers: {} }],
    ['OTEL_RESOURCE_ATTRIBUTES', 'secret', { resource: { 'service.name': 'tenure' } }],
    ['OTEL_SDK_DISABLED', 'yes', {}],
  ])('warn of %s and record all the same when it is wrong: %s', (name, value, expected) => {
    const { settings, warnings } = readTracingSettings({
      ...endpoint,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      [name]: value,
    });
    expect(settings).toMatchObject(expected);
    expect(warnings).toEqual([expect.stringContaining(name)]);
    expect(warnings[0]).not.toContain('secret');
  });

  test('appear in the log of the start when they are wrong', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    expect(await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, product, log)).toBeNull();
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 40,
        msg: 'OTEL_EXPORTER_OTLP_ENDPOINT is no valid address; it must begin with http:// or https://. No traces are recorded.',
      }),
    ]);
  });

  test('reach the collector with each export when they are right', async () => {
    const collector = await traceCollectorForTest();
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    };
    const tracing = (await openTracing(environment, product, pino({ level: 'silent' })))!;
    const server = await serverForTest({ overrides: { tracing } });
    await good(server.api.get('/v1/customers'));
    // The span ends when the server has closed the response, which may be after the client has read it.
    await expect.poll(async () => (await server.api.get('/metrics')).status).toBe(200);
    await tracing.stop();
    expect(collector.requests[0]).toMatchObject({
      path: '/base/v1/traces',
      headers: { authorization: 'Bearer token', 'content-type': 'application/x-protobuf' },
    });
    expect(collector.spans[0]!.resource).toMatchObject({ 'deployment.environment.name': 'test' });
  });

  test('have a row in the docs when they are read', () => {
    const read = new Set<string>();
    readTracingSettings(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
    const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
    const rows = page.slice(page.indexOf('| Variable of OpenTelemetry |')).split('\n').slice(2);
    const documented = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/(?<=`)OTEL_[A-Z_]+(?=`)/g) ?? []);
    expect(documented.toSorted()).toEqual([...read].sort());
  });
});
