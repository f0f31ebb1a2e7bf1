import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escaped } from '../../docs/layout.ts';
import { acceptedCoding, addPage, htmlType, once, scriptType, sendUnlessKnown, shelved } from './pages.ts';

/** An app in the browser that `scripts/build.mjs` builds. */
export interface BrowserApp {
  /** The path of its pages, such as `/dashboard`. */
  path: string;
  /** What persons call it, such as `dashboard`. */
  name: string;
  /** The folder with its built files. */
  folder: string;
  /** What else an operator can do without a build, as HTML. */
  advice: string;
}

/** Sends the one page of an app. */
type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Adds an app: one page at every path below its own, and its files at `<path>/assets`. The page chooses what to show by its path. Without a
 * build, a page says how to make one.
 *
 * @returns the path that a proxy puts before ours, and the function that sends the page.
 */
export function addBrowserApp(
  app: FastifyInstance,
  { publicUrl }: { publicUrl: string },
  { path, name, folder, advice }: BrowserApp,
): { prefix: string; sendPage: SendPage } {
  // The files are read at the first use, and kept: an upgrade may replace them while the server runs.
  const bundle = once(() => readBundle(folder));
  const { protocol, pathname } = new URL(publicUrl);
  const prefix = pathname.replace(/\/$/, '');
  const headers = protocol === 'https:' ? { ...pageHeaders, ...secureHeaders } : pageHeaders;

  const sendPage: SendPage = async (request, reply) => {
    reply.headers(headers);
    const { html, failure } = await bundle();
    if (html === null)
      return reply
        .code(503)
        .type(htmlType)
        .send(missingPage(name, advice, failure));
    // The page is served at many depths, so that its paths must be absolute. Only the server knows the path of a proxy.
    const body = Buffer.from(html.replaceAll('"./', `"${escaped(prefix)}${path}/`));
    return sendUnlessKnown(request, reply, htmlType, {
      zipped: null,
      unzipped: async () => body,
      etag: shelved(body).etag,
    });
  };

  addPage(app, path, sendPage);
  addPage(app, `${path}/${anyEnd}`, sendPage);
  addPage(app, `${path}/assets/${anyEnd}`, async (request, reply) => {
    reply.headers(headers);
    const file = (await bundle()).files.get((request.params as { [anyEnd]: string })[anyEnd]);
    if (!file) return reply.code(404).type('text/plain; charset=utf-8').send('There is no such file.\n');
    const coding = acceptedCoding(request, [...file.codings.keys()]);
    if (file.codings.size > 0) reply.header('vary', 'accept-encoding');
    if (coding !== null) reply.header('content-encoding', coding);
    // The name changes with the contents.
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(file.type);
    return reply.send(coding === null ? file.body : file.codings.get(coding));
  });
  return { prefix, sendPage };
}

/** The router's sign for the rest of a path. */
const anyEnd = '*';

/** Lets the page load from its own server only. No text may become a script, a style or HTML. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `frame-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

/** Features of a browser that the page gives up. It keeps the clipboard and passkeys. */
const deniedFeatures = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];
const keptFeatures = ['clipboard-write', 'publickey-credentials-create', 'publickey-credentials-get'];

const pageHeaders = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': [
    ...deniedFeatures.map((feature) => `${feature}=()`),
    ...keptFeatures.map((feature) => `${feature}=(self)`),
  ].join(', '),
};

/** A year: browsers then use only https for this host. */
const secureHeaders = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };

type Coding = 'br' | 'gzip';

interface Asset {
  body: Buffer;
  type: string;
  codings: Map<Coding, Buffer>;
}

interface Bundle {
  /** Null if the app is not built. */
  html: string | null;
  /** The reason of a failed build. */
  failure: string | null;
  files: Map<string, Asset>;
}

const types: Record<string, string> = {
  '.js': scriptType,
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const codingOfEnd: Record<string, Coding> = { '.br': 'br', '.gz': 'gzip' };

/** Reads the files of a build. Fails if one of them has a type that is not expected. */
async function readBundle(folder: string): Promise<Bundle> {
  const html = await readOrNull(join(folder, 'index.html'));
  if (html === null) return { html, failure: await readOrNull(join(folder, '.failure')), files: new Map() };
  // In this order, `a.js` comes before `a.js.br`.
  const names = (await readdir(join(folder, 'assets'))).sort();
  const bodies = await Promise.all(names.map((name) => readFile(join(folder, 'assets', name))));
  const files = new Map<string, Asset>();
  for (const [index, name] of names.entries()) {
    const body = bodies[index]!;
    const end = extname(name);
    const coding = codingOfEnd[end];
    if (coding) {
      files.get(name.slice(0, -end.length))?.codings.set(coding, body);
      continue;
    }
    const type = types[end];
    if (type === undefined) throw new Error(`Bug! The build has a file of an unknown type: ${name}.`);
    files.set(name, { body, type, codings: new Map() });
  }
  return { html, failure: null, files };
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function missingPage(name: string, advice: string, failure: string | null): string {
  return `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name[0]!.toUpperCase()}${name.slice(1)} not built - Tenure</title>
<h1>The ${name} is not built</h1>
<p>The API works without it. ${failure === null ? 'Nothing was built yet.' : 'The last build failed:'}</p>
${failure === null ? '' : `<pre>${escaped(failure)}</pre>\n`}<p>Run <code>npm run build</code> in the folder of Tenure, then restart the server.${advice}</p>
</html>
`;
}
