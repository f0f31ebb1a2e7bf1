import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../src/http/context.ts';
import { openApiDocument, portalDocument } from '../../src/http/openapi/document.ts';
import { portalOpening } from '../../src/http/portal/open.ts';
import { portalRoutes } from '../../src/http/portal/routes.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { AnswerChecker, type AnswerDocument, type ObservedAnswer } from './answer-checker.ts';
import { noteAnswer } from './answer-faults.ts';

/**
 * Checks every response of a server against the OpenAPI documents of its own resources and versions. Skips the responses that need no key.
 * Call it before the server listens.
 */
export function holdAnswers(app: FastifyInstance, context: HttpContext): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { config } = request.routeOptions;
    const ofPortal = request.routeOptions.url?.startsWith('/v1/portal/') === true;
    if (config.public && !ofPortal) return;
    // Skips preflight responses and redirects, which belong to no page.
    if (!config.route && [204, 308].includes(reply.statusCode)) return;
    // An empty id matches no route.
    const isEmpty = Object.values(request.params as object).includes('');
    const path = isEmpty ? null : (config.route?.path ?? (ofPortal ? request.routeOptions.url : null));
    const answer = {
      // HEAD gets the response of GET.
      method: request.method === 'HEAD' ? 'GET' : request.method,
      path,
      status: reply.statusCode,
      headers: reply.getHeaders(),
      body: payload as string | Buffer,
    };
    noteAnswer(faultsOf(context, answer, ofPortal));
  });
}

function faultsOf(context: HttpContext, answer: ObservedAnswer, ofPortal: boolean): string[] {
  const version = String(answer.headers['service-version']);
  // A replay repeats the response of a later release as it was. Only that release has its document.
  if (answer.headers['idempotent-replayed'] && !context.versions.dates.includes(version)) return [];
  try {
    return (ofPortal ? portalCheckerOf(context) : checkerOf(context, version)).faultsOf(answer);
  } catch (error) {
    // The client gets its response in any case.
    return [`${answer.method} ${answer.path} could not be held against its document: ${String(error)}`];
  }
}

interface Known {
  from: readonly unknown[];
  checker: AnswerChecker;
}

const known: Known[] = [];

/** Returns the checker of the portal. All servers of a worker with the same definitions and mode share it. */
function portalCheckerOf(context: HttpContext): AnswerChecker {
  return sharedChecker(context, 'portal', () =>
    portalDocument({ ...context, routes: portalRoutes(context) }, portalOpening),
  );
}

/** Returns the checker of a version. All servers of a worker with the same definitions and mode share it. */
export function checkerOf(context: HttpContext, version: string): AnswerChecker {
  return sharedChecker(context, version, () => openApiDocument({ ...context, routes: routesOf(context) }, version));
}

function sharedChecker(
  { resources, versions, config }: HttpContext,
  documented: string,
  documentOf: () => object,
): AnswerChecker {
  const from = [resources, versions.all, config.mode, documented];
  const shared = known.find((one) => one.from.every((part, place) => part === from[place]));
  if (shared) return shared.checker;
  const checker = new AnswerChecker(documentOf() as AnswerDocument);
  known.push({ from, checker });
  return checker;
}
