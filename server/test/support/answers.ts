import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../src/http/context.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { AnswerChecker, type AnswerDocument, type ObservedAnswer } from './answer-checker.ts';
import { noteAnswer } from './answer-faults.ts';

/**
 * Holds every answer of a server, but for those that need no key, against the OpenAPI documents of its own resources and versions. To be
 * called before it listens.
 */
export function holdAnswers(app: FastifyInstance, context: HttpContext): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { config } = request.routeOptions;
    if (config.public) return;
    // What is asked about a page, and not of it.
    if (!config.route && [204, 308].includes(reply.statusCode)) return;
    // An empty id makes no route.
    const path = Object.values(request.params as object).includes('') ? null : (config.route?.path ?? null);
    const answer = {
      // HEAD is answered as GET is.
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
  // What a release to come has answered is repeated as it was; only that release has its document.
  if (answer.headers['idempotent-replayed'] && !context.versions.dates.includes(version)) return [];
  try {
    return checkerOf(context, version).faultsOf(answer);
  } catch (error) {
    // The client gets its answer in any case.
    return [`${answer.method} ${answer.path} could not be held against its document: ${String(error)}`];
  }
}

const checkers: { from: [unknown, unknown]; version: string; checker: AnswerChecker }[] = [];

/** The same for all servers of a test file that are made of the same definitions. */
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
