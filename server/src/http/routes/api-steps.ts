import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import type { Id } from '../../core/ids.ts';
import { requireOneOf, requirePermission } from '../../model/callers/permissions.ts';
import type { Principal } from '../../model/callers/principal.ts';
import type { StepOperation } from '../../model/step-operation.ts';
import { versionedValidator, type VersionedValidator } from '../body/input.ts';
import type { HttpContext } from '../context.ts';
import type { ApiRequest, PinnedAccount } from '../request.ts';
import { asksForConfirmation, type WriteRoute } from '../route.ts';
import { decideWrite, refusalOfConstraint, type DecisionRoom } from '../write/execute.ts';
import { routesOf } from './resources.ts';

/** A request that the server makes for a run of a workflow. */
export interface StepCall {
  accountId: string;
  principal: Principal;
  /** The path, without templates. */
  path: string;
  body: JsonObject;
  /** The API version of the body and of the response. */
  version: string;
}

/** A checked request, which can be decided. */
export interface PreparedStep {
  /** Ids of records that it will change, as far as known. */
  locks: readonly string[];
  /**
   * Decides as the request of a key would be decided. Called again if a record has changed meanwhile.
   *
   * @throws {ApiError} for a refusal.
   */
  decide(room: DecisionRoom): ReturnType<typeof decideWrite>;
  /** Runs the work after the commit. If it fails, it is done later. */
  afterCommit(): Promise<void>;
}

interface KnownStep {
  route: WriteRoute;
  pattern: RegExp;
  validate: VersionedValidator;
}

/** The requests of workflows. They pass the same checks as those of keys, and have no log. */
export class ApiSteps {
  readonly #context: () => HttpContext;
  #known: KnownStep[] | null = null;
  #operations: StepOperation[] | null = null;

  /** @param context is called later, because it has this object itself. */
  constructor(context: () => HttpContext) {
    this.#context = context;
  }

  get operations(): readonly StepOperation[] {
    this.#operations ??= this.#steps().map(({ route }) => ({
      path: route.path,
      permissions: [...(route.permission === null ? [] : [route.permission]), ...(route.alsoNeeds ?? [])],
      members: Object.keys(route.body.properties),
      required: (route.body.required ?? []) as readonly string[],
      asksForConfirmation: asksForConfirmation(route),
    }));
    return this.#operations;
  }

  /**
   * Checks a request, up to its decision.
   *
   * @throws {ApiError} for a refusal.
   */
  async prepare({ accountId, principal, path, body, version }: StepCall): Promise<PreparedStep> {
    const context = this.#context();
    const found = this.#steps().find(({ pattern }) => pattern.test(path));
    if (!found) throw new ApiError('route_unknown', `\`${path.slice(0, 200)}\` is no path that a workflow may send.`);
    const { route, pattern, validate } = found;
    for (const needed of [route.permission, ...(route.alsoNeeds ?? [])]) requirePermission(needed, principal);
    if (route.needsOneOf) requireOneOf(route.needsOneOf, principal);
    validate(version, body);
    const account = await context.accounts.get(accountId);
    if (!account) throw new Error(`Bug! The account ${accountId} is not there.`);
    const incoming = { method: 'POST', url: path, headers: {}, params: { id: pattern.exec(path)?.[1] ?? '' } };
    const nowMs = context.clock.nowMs();
    const request: ApiRequest = {
      id: context.ids.make('req'),
      startedMs: nowMs,
      realStartedMs: context.realClock.nowMs(),
      // Decisions read the id of the path, and nothing else of it.
      incoming: incoming as unknown as FastifyRequest,
      client: { address: null, isLocal: true },
      principal,
      payer: { accountId, rootId: account.rootId },
      accountId,
      account: { ...account, apiVersion: account.apiVersion ?? version } satisfies PinnedAccount,
      route,
      hasServiceContext: false,
      version,
      versionsServed: context.versions.upTo(context.latestVersion.known),
      expansion: {},
      contentType: 'application/json',
      bodyBytes: null,
      bodyText: null,
      idempotencyKey: null,
      originalRequest: null,
      upload: null,
      file: null,
      memory: null,
      traceParent: null,
    };
    const input = context.versions.convertBody(route.object, body, version, context.versions.newest);
    return {
      locks: await route.locks(request, input),
      decide: (room) => decideWrite(context, request, route, input, room),
      async afterCommit() {
        try {
          await route.afterCommit?.(request);
        } catch (error) {
          context.log.warn({ err: error, id: principal.id as Id }, 'the work after a commit failed');
        }
      },
    };
  }

  /** Returns the refusal of a change that the database has rejected by a rule between records, or null. */
  refusalOf(error: unknown): ApiError | null {
    return refusalOfConstraint(this.#context(), error);
  }

  #steps(): KnownStep[] {
    const context = this.#context();
    this.#known ??= routesOf(context)
      .filter((route): route is WriteRoute => route.method === 'POST' && isForWorkflows(route))
      // A path without an id comes first: `/v1/payments/imports` is no payment.
      .toSorted((left, right) => Number(left.path.includes(':id')) - Number(right.path.includes(':id')))
      .map((route) => ({
        route,
        pattern: new RegExp(`^${route.path.replace(':id', '([A-Za-z0-9_]+)')}$`),
        validate: versionedValidator(context.versions, route),
      }));
    return this.#known;
  }
}

/**
 * Returns whether a workflow may send a request. What acts outside of the transaction has no single effect. What shows a secret, makes
 * rights or moves the clock is for people.
 */
function isForWorkflows(route: WriteRoute): boolean {
  const isPlain = !route.upload && !route.beforeCommit && !route.render && !route.requiresSamePrincipal;
  const isOpen = !route.isForPersons && !route.ownAccountOnly && !route.portalFeatures;
  return isPlain && isOpen && !/^\/v1\/(test_helpers|workflows|workflow_runs|account|api_keys)\b/.test(route.path);
}
