import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { soon } from '../webhooks/scenario.ts';
import { freePort } from '../support/free-port.ts';

/** A proxy of which `deploy/` has the settings. */
export type ProxyKind = 'nginx' | 'haproxy';

const deployDir = join(import.meta.dirname, '../../../deploy');
const files: Record<ProxyKind, string> = { nginx: 'nginx/tenure.conf', haproxy: 'haproxy/haproxy.cfg' };

/** Returns the path of a program of the system; null if it is not installed. */
export function findProgram(name: string): string | null {
  const folders = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** A running proxy. */
export interface RunningProxy {
  port: number;
  /** Sends a request through the proxy, from an address of this machine that is not the proxy's. */
  send(options: RequestOptions, body?: Buffer): Promise<ProxyResponse>;
  /** Does the same, and returns as soon as the head of the response is there. */
  open(options: RequestOptions): Promise<IncomingMessage>;
}

/** A running proxy in front of cells. */
export interface RunningCellsProxy extends RunningProxy {
  /** Adds a line to the map of moved keys without a reload. Returns what HAProxy says about it. */
  addMoved(line: string): Promise<string>;
}

export interface ProxyResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The address of the client. Linux answers on all of 127.0.0.0/8. */
export const clientAddress = '127.0.0.2';

/**
 * Runs a proxy for one test, with its file in `deploy/`. Only addresses, ports and the certificate are replaced.
 *
 * @param servers the ports of the `api` processes, one or two.
 */
export async function proxyForTest(kind: ProxyKind, servers: readonly number[]): Promise<RunningProxy> {
  const program = findProgram(kind)!;
  const folder = mkdtempSync(join(tmpdir(), `tenure-${kind}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [port, plainPort] = [await freePort(), await freePort()];
  const { certificate, key } = makeCertificate(folder);
  const shipped = readFileSync(join(deployDir, files[kind]), 'utf8');
  const adapted = replaceAll(shipped, [
    ...(servers[1] === undefined ? [] : [[/# (server .*)10\.0\.1\.12:4000/g, `$1127.0.0.1:${servers[1]}`] as const]),
    [/127\.0\.0\.1:4000/g, `127.0.0.1:${servers[0]}`],
    ...(kind === 'nginx'
      ? ([
          [/listen 443 ssl/g, `listen 127.0.0.1:${port} ssl`],
          [/listen 80;/g, `listen 127.0.0.1:${plainPort};`],
          [/\/etc\/tenure\/tls\/fullchain\.pem/g, certificate],
          [/\/etc\/tenure\/tls\/privkey\.pem/g, key],
        ] as const)
      : ([
          [/bind :443/g, `bind 127.0.0.1:${port}`],
          [/bind :80/g, `bind 127.0.0.1:${plainPort}`],
          [/\/etc\/tenure\/tls\/haproxy\.pem/g, certificate],
        ] as const)),
  ]);
  const main = join(folder, kind === 'nginx' ? 'nginx.conf' : 'haproxy.cfg');
  if (kind === 'nginx') {
    writeFileSync(join(folder, 'tenure.conf'), adapted);
    writeFileSync(main, nginxAround(folder));
  } else writeFileSync(main, adapted);
  const [check, run] =
    kind === 'nginx'
      ? [
          ['-t', '-q', '-p', folder, '-c', main],
          ['-p', folder, '-c', main],
        ]
      : [
          ['-c', '-f', main],
          ['-db', '-f', main],
        ];
  return startProxy(program, { check, run }, port);
}

/**
 * Runs HAProxy in front of cells for one test, with `deploy/haproxy/cells.cfg` and its maps. Only addresses, ports, the certificate and the
 * place of the maps are replaced.
 *
 * @param servers the port of each cell's `api` process.
 * @param moved lines for the map of moved keys.
 */
export async function cellsProxyForTest(
  servers: Readonly<Record<'eu1' | 'eu2', number>>,
  moved: readonly string[],
): Promise<RunningCellsProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-cells-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [port, plainPort] = [await freePort(), await freePort()];
  const { certificate } = makeCertificate(folder);
  for (const map of ['keys.map', 'hosts.map', 'moved.map'])
    writeFileSync(join(folder, map), readFileSync(join(deployDir, 'haproxy/cells', map)));
  writeFileSync(join(folder, 'moved.map'), moved.map((line) => `${line}\n`).join(''), { flag: 'a' });
  const main = join(folder, 'haproxy.cfg');
  const socket = join(folder, 'admin.sock');
  const shipped = readFileSync(join(deployDir, 'haproxy/cells.cfg'), 'utf8');
  writeFileSync(
    main,
    replaceAll(shipped, [
      [/ 10\.0\.1\.11:4000/g, ` 127.0.0.1:${servers.eu1}`],
      [/ 10\.0\.2\.11:4000/g, ` 127.0.0.1:${servers.eu2}`],
      [/bind :443/g, `bind 127.0.0.1:${port}`],
      [/bind :80/g, `bind 127.0.0.1:${plainPort}`],
      [/\/etc\/tenure\/tls\/haproxy\.pem/g, certificate],
      [/\/etc\/haproxy\/tenure/g, folder],
      [/\/run\/haproxy\/admin\.sock/g, socket],
    ]),
  );
  const proxy = await startProxy(
    findProgram('haproxy')!,
    { check: ['-c', '-f', main], run: ['-db', '-f', main] },
    port,
  );
  return { ...proxy, addMoved: (line) => command(socket, `add map ${join(folder, 'moved.map')} ${line}`) };
}

/** Sends a command to the socket of HAProxy, and returns its response. */
async function command(socket: string, line: string): Promise<string> {
  const connection = connect(socket);
  connection.end(`${line}\n`);
  let response = '';
  for await (const text of connection.setEncoding('utf8')) response += text;
  return response.trim();
}

async function startProxy(
  program: string,
  { check, run }: { check: string[]; run: string[] },
  port: number,
): Promise<RunningProxy> {
  // Both programs fail, and say why, if they do not accept a line.
  execFileSync(program, check, { stdio: ['ignore', 'ignore', 'inherit'] });
  const child = spawn(program, run, { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const open = (options: RequestOptions, body?: Buffer): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, localAddress: clientAddress, agent: false, rejectUnauthorized: false, ...options },
        resolve,
      );
      // A proxy that refuses a body closes the connection after its response.
      sent.on('error', reject);
      sent.end(body);
    });
  const send = async (options: RequestOptions, body?: Buffer): Promise<ProxyResponse> => {
    const response = await open(options, body);
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return { status: response.statusCode!, headers: response.headers, text };
  };
  await expect.poll(() => send({ path: '/readyz' }).then(({ status }) => status, String), soon).toBe(200);
  return { port, send, open };
}

/** Replaces every pattern, and fails if the file has no such part. */
function replaceAll(text: string, pairs: readonly (readonly [RegExp, string])[]): string {
  return pairs.reduce((before, [pattern, by]) => {
    expect(before).toMatch(new RegExp(pattern.source));
    return before.replaceAll(pattern, by);
  }, text);
}

/** What the package of nginx has around the files in `conf.d`. */
function nginxAround(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    pid ${folder}/nginx.pid;
    error_log ${folder}/error.log;
    events { worker_connections 256; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
      include ${folder}/tenure.conf;
    }`;
}

/** Makes a certificate for a test, with the key in its file, too, as HAProxy wants it. */
function makeCertificate(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=api.example.com', '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', certificate],
    {
      stdio: 'ignore',
    },
  );
  writeFileSync(certificate, readFileSync(key), { flag: 'a' });
  return { certificate, key };
}
