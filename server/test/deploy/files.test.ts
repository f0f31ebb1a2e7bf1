import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/server/config.ts';

/* The files of `deploy/` as texts. Other tests run those of nginx, HAProxy, Patroni and systemd. */

const deployDir = join(import.meta.dirname, '../../../deploy');

interface Workload {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: { template: { spec: { containers: Container[]; terminationGracePeriodSeconds: number } } };
}

interface Container {
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  readinessProbe: { httpGet: { path: string } };
  livenessProbe: { httpGet: { path: string } };
}

interface Compose {
  services: Record<string, { environment: Record<string, string>; stop_grace_period: string }>;
}

interface Patroni {
  bootstrap: {
    dcs: {
      ttl: number;
      loop_wait: number;
      retry_timeout: number;
      postgresql: { parameters: Record<string, unknown> };
    };
  };
  postgresql: { listen: string };
}

const compose = parse(textOf('docker/compose.yaml'), { merge: true }) as Compose;
const documents = parseAllDocuments(textOf('kubernetes/tenure.yaml'));
const manifests = documents.map((document) => document.toJS() as Workload);

/** Variables of Node and of the C library, which the server does not read itself. */
const ofOthers = new Set(['NODE_ENV', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']);

describe('settings in the files of deploy/', () => {
  test('exist when a file names them', () => {
    const known = new Set([...settingsOfServer(), ...ofOthers]);
    const named = [
      ...Object.keys(compose.services.api!.environment),
      ...Object.keys(compose.services.worker!.environment),
      ...manifests.flatMap(({ data = {} }) => Object.keys(data)),
      ...containers().flatMap(({ env }) => env.map(({ name }) => name)),
      ...[...textOf('systemd/tenure@.service').matchAll(/^Environment=(.*)$/gm)].flatMap(([, line]) =>
        line!.split(' ').map((pair) => pair.split('=')[0]!),
      ),
      ...[...textOf('docker/Dockerfile').matchAll(/^(?:ENV| {3}) (\w+)=/gm)].map(([, name]) => name!),
      ...allTexts().flatMap((text) => text.match(/\bTENURE_[A-Z_]+\b/g) ?? []),
    ];
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  test('are accepted by the server when each process of Compose and Kubernetes starts', () => {
    const own = {
      POSTGRES_PASSWORD: 'secret',
      TENURE_MASTER_KEY: `${'A'.repeat(43)}=`,
      TENURE_PUBLIC_URL: 'https://a.example',
    };
    const filled = (text: string): string =>
      text.replaceAll(/\$\{(\w+)(?::(?:-(\w+)|\?))\}/g, (_, name: string, otherwise?: string) =>
        String((own as Record<string, string>)[name] ?? otherwise),
      );
    for (const role of ['api', 'worker']) {
      const { environment } = compose.services[role]!;
      const settings = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));
      expect(readConfig(settings)).toMatchObject({ role, mode: 'live', publicUrl: 'https://a.example' });
    }
    const secrets: Record<string, string> = {
      'database-url': 'postgres://db/tenure',
      'master-key': own.TENURE_MASTER_KEY,
      'metrics-token': 'a-token-of-some-length',
    };
    const common = manifests.find(({ kind }) => kind === 'ConfigMap')!.data!;
    for (const { env } of containers()) {
      const settings = env.map(({ name, value, valueFrom }) => [name, value ?? secrets[valueFrom!.secretKeyRef.key]!]);
      expect(() =>
        readConfig({ ...common, ...(Object.fromEntries(settings) as Record<string, string>) }),
      ).not.toThrow();
    }
  });
});

test('is valid YAML, and gives each process its probes and enough time to stop, when Kubernetes reads it', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'ConfigMap tenure',
    'Deployment tenure-api',
    'Deployment tenure-worker',
    'Service tenure',
    'PodDisruptionBudget tenure-api',
  ]);
  for (const container of containers()) {
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
  }
  // Five seconds before the signal, five after it, and twenty for the stop.
  for (const { spec } of deployments()) expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(30);
});

test('sets the same limits of memory when npm, the command or the image starts a server', () => {
  const starts = [
    ['package.json', /"start": .*/],
    ['server/bin/tenure-server.js', /serverFlags = [^;]*;[^;]*;/],
    ['deploy/docker/Dockerfile', /[^]*/],
  ] as const;
  const limits = starts.map(([file, part]) => {
    const [text] = part.exec(readFileSync(join(deployDir, '..', file), 'utf8'))!;
    const pairs = [...text.matchAll(/(MALLOC_\w+|--max-[\w-]+-space-size)\W+(\d+)/g)];
    return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
  });
  expect(Object.keys(limits[0])).toHaveLength(5);
  expect(limits).toEqual([limits[0], limits[0], limits[0]]);
});

test('lets systemd keep the server when the system kills one of its other processes', () => {
  expect(textOf('systemd/tenure@.service')).toMatch(/^OOMPolicy=continue$/m);
});

test('lets systemd start a process again and again when its database is away for longer than five starts take', () => {
  const [unit] = textOf('systemd/tenure@.service').split('[Service]');
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
});

test('promotes only standbys with every answered commit when Patroni runs with its file', () => {
  const { bootstrap, postgresql } = parse(textOf('patroni/patroni.yml')) as Patroni;
  const { dcs } = bootstrap;
  expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true });
  expect(dcs.postgresql.parameters.synchronous_commit).toBe('on');
  // Patroni raises a lease that is too short for its retries, so that the promised time would not hold.
  expect(dcs.ttl).toBeGreaterThanOrEqual(dcs.loop_wait + 2 * dcs.retry_timeout);
  const ports = textOf('haproxy/postgresql.cfg').match(/^ {2}server postgresql-\d 10\.0\.2\.1\d:5432$/gm);
  expect(ports).toHaveLength(3);
  expect(postgresql.listen).toBe('10.0.2.11:5432');
});

test('differ only in what chooses the cell when HAProxy stands in front of one cell or of several', () => {
  const start = (file: string): string => /^global[^]*?(?=^frontend)/m.exec(textOf(file))![0];
  // The socket, with the comment above it, is for moved keys.
  const [socket = '', ...others] = start('haproxy/cells.cfg').match(/(^ {2}#.*\n)+ {2}stats socket .*\n/gm) ?? [];
  expect(others).toEqual([]);
  expect(socket).toMatch(/ \/run\/haproxy\/admin\.sock mode 600 level admin\n$/);
  expect(start('haproxy/cells.cfg').replace(socket, '')).toBe(start('haproxy/haproxy.cfg'));
  const cells = [...textOf('haproxy/cells.cfg').matchAll(/^backend tenure_(\w+?)(?:_stream)?$/gm)].map(
    ([, cell]) => cell,
  );
  const mapped = (file: string) => new Set([...textOf(file).matchAll(/^[^#\s]\S* (\w+)$/gm)].map(([, cell]) => cell));
  expect(mapped('haproxy/cells/keys.map')).toEqual(new Set(cells));
  expect(mapped('haproxy/cells/hosts.map')).toEqual(new Set(cells));
});

function deployments(): Workload[] {
  return manifests.filter(({ kind }) => kind === 'Deployment');
}

function containers(): Container[] {
  return deployments().flatMap(({ spec }) => spec.template.spec.containers);
}

/** Returns the names of all settings that the server reads when it starts. */
function settingsOfServer(): Set<string> {
  const read = new Set<string>();
  const unset = new Proxy<Record<string, string | undefined>>({}, { get: (_, name) => void read.add(String(name)) });
  readConfig(unset);
  return read;
}

function allTexts(): string[] {
  return [
    'README.md',
    'systemd/tenure@.service',
    'systemd/tenure-backup.service',
    'nginx/tenure.conf',
    'haproxy/haproxy.cfg',
    'haproxy/cells.cfg',
    'haproxy/cells/hosts.map',
    'caddy/Caddyfile',
    'docker/Dockerfile',
    'docker/compose.yaml',
    'kubernetes/tenure.yaml',
  ].map(textOf);
}

function textOf(file: string): string {
  return readFileSync(join(deployDir, file), 'utf8');
}
