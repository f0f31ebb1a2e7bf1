import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import { hashToken, isLinkToken } from '../../core/secrets/tokens.ts';
import type { Actor, Principal } from '../../model/callers/principal.ts';
import { file, type FileRecord } from '../../resources/file/index.ts';
import { fileLink, opened, statusOf, type FileLinkRecord } from '../../resources/file/link.ts';
import { realSecondsOf } from '../../sign-in/sessions.ts';
import { BodyBytes, strangerOf, type BodyBudgets } from '../body/body-bytes.ts';
import { receiveBytes } from '../body/incoming-bytes.ts';
import { requireSmallBody, smallBody } from '../body/small-posts.ts';
import type { HttpContext } from '../context.ts';
import type { ConcurrencyLimit } from '../pipeline/concurrency.ts';
import { Buckets, type FailedSignIns } from '../pipeline/rate-limit.ts';
import { authenticated, type ReceivedRequest } from '../request.ts';
import { openFile, sendContents } from '../response/download.ts';
import { whenClosed, type HeldResponses } from '../response/held-responses.ts';
import { addLastingPage, addPage, htmlType, scriptType } from '../routes/pages/pages.ts';
import { requestFacts } from '../write/request-facts.ts';
import { findFileLink } from './find.ts';
import { closedPage, coverPage, laterPage, readAsset, summaryPage } from './page.ts';
import { readSummary } from './summary.ts';

/** The limits that the pages share with the requests of the API. */
export interface SharedFileLimits {
  bodies: BodyBudgets;
  failedSignIns: FailedSignIns;
  requestsInFlight: ConcurrencyLimit;
  responses: HeldResponses;
}

/** How often one link opens its file, a second. Each opening is stored. */
const openingsPerSecond = 2;

/** A form with a token is small. In bytes. */
const formBytesMax = 1_000;

const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** A person without an account. The actor of an opening is null in every sense: the server knows no more than the link. */
const stranger: Actor = { type: 'system', id: null, name: null, key: null, source: 'api' };

/** A link that still works, and its file. */
interface OpenLink {
  link: FileLinkRecord;
  record: FileRecord;
}

/**
 * Adds the pages below `/links`, with which a person without an account opens a file. The token is in the body of a form, and in no address.
 * Every link that opens nothing gets the same page. It counts as a failed sign-in of its address.
 */
export function addSharedFiles(app: FastifyInstance, context: HttpContext, limits: SharedFileLimits): void {
  const { bodies, failedSignIns, requestsInFlight, responses } = limits;
  const openings = new Buckets(openingsPerSecond);
  const isSandbox = context.config.mode === 'sandbox';

  addLastingPage(app, '/links/links.css', 'text/css; charset=utf-8', () => readAsset('links.css'));
  addLastingPage(app, '/links/links.js', scriptType, () => readAsset('links.js'));
  addPage(app, '/links', async (_, reply) => reply.headers(pageHeaders).type(htmlType).send(coverPage({ isSandbox })));

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async ({ apiRequest: { bodyBytes }, raw }: FastifyRequest) => {
      const bytes = await receiveBytes(raw, bodyBytes, smallBody);
      bodyBytes?.arrived(bytes.length);
      return bytes;
    });
    // Not the address of the cover: a browser would not load the cover again for the same link.
    addForm('/links/open', openLink);
    addForm('/links/contents', sendFile);

    /** Adds a form with a token. */
    function addForm(
      path: string,
      handle: (request: ReceivedRequest, reply: FastifyReply, open: OpenLink, token: string) => Promise<FastifyReply>,
    ): void {
      scope.post<{ Body: Buffer | undefined }>(
        path,
        {
          config: { public: true },
          onRequest: async (request, reply) => {
            requireSmallBody(request);
            const payer = strangerOf('sign-ins', request.apiRequest.client);
            request.apiRequest.bodyBytes = new BodyBytes(bodies, payer, request, reply);
          },
        },
        async ({ apiRequest, body }, reply) => {
          apiRequest.bodyBytes?.workBegins();
          const token = tokenIn(body);
          try {
            const open = token === null ? null : await findOpen(context, token);
            apiRequest.bodyBytes?.workEnds(0);
            if (open && token !== null) return await handle(apiRequest, reply, open, token);
            failedSignIns.note(apiRequest.client);
            return sendPage(reply, 404, closedPage({ isSandbox }));
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            // The file or the link may end between two steps.
            return error.status === 404
              ? sendPage(reply, 404, closedPage({ isSandbox }))
              : sendLater(reply, error, { isSandbox });
          }
        },
      );
    }
  });

  async function openLink(
    request: ReceivedRequest,
    reply: FastifyReply,
    { link, record }: OpenLink,
    token: string,
  ): Promise<FastifyReply> {
    if (!openings.take(link.id).taken)
      throw new ApiError('rate_limit', 'This link was opened too often in a second.', { retryAfterSeconds: 1 });
    if (!(await noteOpening(context, request, link))) return sendPage(reply, 404, closedPage({ isSandbox }));
    return sendPage(reply, 200, summaryPage(await readSummary(context, link, record), token, { isSandbox }));
  }

  async function sendFile(
    request: ReceivedRequest,
    reply: FastifyReply,
    { link }: OpenLink,
    token: string,
  ): Promise<FastifyReply> {
    const known = authenticated(request, visitorOf(link.account_id));
    whenClosed(reply, requestsInFlight.begin(known.payer));
    const contents = await responses.download(known, reply, async () => {
      // The link may have ended while the download waited for room.
      const open = await findOpen(context, token);
      if (!open) throw new ApiError('resource_missing', 'This link has ended.');
      return openFile(context, file, open.record);
    });
    return sendContents(reply, contents, { isHead: false, asBytes: false, stalledMs: context.readLimits.stalledMs });
  }
}

function tokenIn(body: Buffer | undefined): string | null {
  if (body === undefined || body.length > formBytesMax) return null;
  const token = new URLSearchParams(body.toString('utf8')).get('token') ?? '';
  return isLinkToken(token) ? token : null;
}

/** Returns the link with a token, and its file. Null if the link opens nothing. */
async function findOpen(context: HttpContext, token: string): Promise<OpenLink | null> {
  const { reader, readRecord } = context;
  const found = await findFileLink(reader, hashToken(token));
  const link = found && (await readRecord(fileLink, found.accountId, found.id));
  if (!link || statusOf(link, realSecondsOf(context)) !== 'active') return null;
  const record = await readRecord(file, link.account_id, link.file);
  return record && { link, record };
}

/** Counts an opening. Returns whether the link still worked when that was decided. */
async function noteOpening(context: HttpContext, request: ReceivedRequest, link: FileLinkRecord): Promise<boolean> {
  const known = authenticated({ ...request, bodyText: null }, visitorOf(link.account_id));
  let isOpen = false;
  const outcome = await context.committer.commit({
    accountId: link.account_id,
    payer: null,
    request: { ...requestFacts(context, known), actor: stranger },
    claim: null,
    locks: [link.id],
    async decide() {
      const current = await context.readRecord(fileLink, link.account_id, link.id);
      const realSeconds = realSecondsOf(context);
      isOpen = current !== null && statusOf(current, realSeconds) === 'active';
      const change = current && {
        resource: fileLink,
        before: current,
        after: opened(current, realSeconds),
        verbs: ['opened'],
      };
      return {
        changes: isOpen && change ? [change] : [],
        response: { status: isOpen ? 200 : 404, body: '', isUnlogged: true },
      };
    },
  });
  if (outcome.kind === 'refused') throw outcome.error;
  return isOpen;
}

function visitorOf(accountId: string): Principal {
  return { ...stranger, id: '', accountId, permissions: new Set(), expiresAt: null, approvals: 'none', person: null };
}

function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).headers(pageHeaders).type(htmlType).send(html);
}

function sendLater(
  reply: FastifyReply,
  { status, retryAfterSeconds }: ApiError,
  mode: { isSandbox: boolean },
): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return sendPage(reply, status, laterPage(mode));
}
