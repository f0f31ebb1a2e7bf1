import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../src/http/context.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
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
    if (config.public) return;
    // The documents have the routes of keys. `test/portal/` checks those of renters.
    if (config.route?.portalFeatures) return;
    // Skips preflight responses and redirects, which belong to no page.
    if (!config.route && [204, 308].includes(reply.statusCode)) return;
    // An empty id matches no route.
    const path = Object.values(request.params as object).includes('') ? null : (config.route?.path ?? null);
    const answer = {
      // HEAD gets the response of GET.
      method: request.method === 'HEAD' ? 'GET' : request.method,
      path,
      status: reply.statusCode,
      headers: reply.getHeaders(),
      body: payload as string | Buffer,
    };
    noteAnswer(faultsOf(context, answer));
  });
}

function faultsOf(context: HttpContext, answer: ObservedAnswer): string[] {
  const version = String(answer.headers['service-version']);
  // A replay repeats the response of a later release as it was. Only that release has its document.
  if (answer.headers['idempotent-replayed'] && !context.versions.dates.includes(version)) return [];
  try {
    return checkerOf(context, version).faultsOf(answer);
  } catch (error) {
    // The client gets its response in any case.
    return [`${answer.method} ${answer.path} could not be held against its document: ${String(error)}`];
  }
}

const checkers: { from: [unknown, unknown]; version: string; checker: AnswerChecker }[] = [];

/** Shares one checker among all servers of a test file with the same definitions. */
export function checkerOf(context: HttpContext, version: string): AnswerChecker {
  const { resources, versions } = context;
  const known = checkers.find(
    ({ from, version: of }) => from[0] === resources && from[1] === versions.all && of === version,
  );
  if (known) return known.checker;
  const document = openApiDocument({ ...context, routes: routesOf(context) }, version);
  const checker = new AnswerChecker(document as unknown as AnswerDocument);
  checkers.push({ from: [resources, versions.all], version, checker });
  return checker;
}
