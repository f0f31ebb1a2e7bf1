import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../context.ts';
import { escaped } from '../docs/layout.ts';
import type { ContentsRoute } from '../route.ts';
import { isForFrame, sendFileToFrame, type FrameLimits } from './framed-file.ts';
import { acceptedCoding, addPage, htmlType, once, scriptType, sendUnlessKnown, shelved } from './pages.ts';

/**
 * Adds the dashboard: one page at every path below `/dashboard`, and its files at `/dashboard/assets`. The page chooses what to show by its
 * path. `scripts/build.mjs` makes the files. Without them, a page says how to make them.
 */
export function addDashboard(
  app: FastifyInstance,
  context: HttpContext,
  limits: FrameLimits,
  contentsRoute: ContentsRoute,
): void {
  const { config, dashboardDir } = context;
  // The files are read at the first use, and kept: an upgrade may replace them while the server runs.
  const bundle = once(() => readBundle(dashboardDir));
  const { protocol, pathname } = new URL(config.publicUrl);
  const prefix = pathname.replace(/\/$/, '');
  const headers = protocol === 'https:' ? { ...pageHeaders, ...secureHeaders } : pageHeaders;

  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.headers(headers);
    const { html, failure } = await bundle();
    if (html === null) return reply.code(503).type(htmlType).send(missingPage(failure));
    // The page is served at many depths, so that its paths must be absolute. Only the server knows the path of a proxy.
    const body = Buffer.from(html.replaceAll('"./', `"${escaped(prefix)}/dashboard/`));
    return sendUnlessKnown(request, reply, htmlType, {
      zipped: null,
      unzipped: async () => body,
      etag: shelved(body).etag,
    });
  };

  addPage(app, '/', async (_, reply) => reply.code(302).header('location', `${prefix}/dashboard`).send());
  addPage(app, '/dashboard', sendPage);
  addPage(app, `/dashboard/${anyEnd}`, sendPage);
  // The page of a file has the same path as its bytes in a frame.
  addPage(app, '/dashboard/files/:id', async (request, reply) =>
    isForFrame(request) ? sendFileToFrame(context, limits, contentsRoute, request, reply) : sendPage(request, reply),
  );
  addPage(app, `/dashboard/assets/${anyEnd}`, async (request, reply) => {
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
  /** Null if the dashboard is not built. */
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
    if (type === undefined) throw new Error(`Bug! The dashboard has a file of an unknown type: ${name}.`);
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

function missingPage(failure: string | null): string {
  return `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dashboard not built - Tenure</title>
<h1>The dashboard is not built</h1>
<p>The API works without it. ${failure === null ? 'Nothing was built yet.' : 'The last build failed:'}</p>
${failure === null ? '' : `<pre>${escaped(failure)}</pre>\n`}<p>Run <code>npm run build</code> in the folder of Tenure, then restart the server. To serve no dashboard, set <code>TENURE_DASHBOARD=off</code>.</p>
</html>
`;
}
