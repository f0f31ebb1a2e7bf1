import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import { nearestName } from '../../core/nearest.ts';

/** Every path of the API starts with it, and nothing below it is answered without a key. */
const apiPath = /^\/v1(\/|$)/;

/** Knows which paths there are and which methods they take, to tell a wrong method from a wrong path. */
export class KnownPaths {
  readonly #isWorker: boolean;
  readonly #paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  /** Those of the paths that need no key. */
  readonly #pages = new Set<string>();

  /** @param server.isWorker whether it has no path of the API at all. */
  constructor(server: { isWorker: boolean }) {
    this.#isWorker = server.isWorker;
  }

  /** @param path with `:id` where an id stands. */
  add(method: string | string[], path: string): void {
    const known = this.#paths.get(path) ?? {
      pattern: new RegExp(`^${path.replaceAll(':id', '[^/]+')}$`),
      methods: new Set(),
    };
    for (const each of [method].flat()) known.methods.add(each);
    this.#paths.set(path, known);
  }

  /** Adds a path that needs no key. It takes OPTIONS, too. */
  addPage(method: string | string[], path: string): void {
    this.add(method, path);
    this.add('OPTIONS', path);
    this.#pages.add(path);
  }

  /**
   * Answers what is asked about a page, and not of it: OPTIONS, and a path with slashes at its end. Returns whether it was one of these.
   * Below `/v1` nothing is answered without a key, and a path is written in one way.
   */
  answerForPage({ method, url }: FastifyRequest, reply: FastifyReply): boolean {
    const path = url.split('?', 1)[0]!;
    if (method === 'OPTIONS' && this.#pages.has(path)) {
      void reply.code(204).header('allow', this.#allowOf(path)).send();
      return true;
    }
    const page = path.replace(/\/+$/, '');
    if (page === path || !this.#pages.has(page) || !['GET', 'HEAD'].includes(method)) return false;
    // Relative, so that it is right behind any proxy.
    const target = '../'.repeat(path.length - page.length) + page.slice(page.lastIndexOf('/') + 1);
    void reply
      .code(308)
      .header('location', target + url.slice(path.length))
      .send();
    return true;
  }

  #allowOf(path: string): string {
    return [...this.#paths.get(path)!.methods].join(', ');
  }

  /** Whether the path belongs to the API, however it is spelt. */
  isApi(url: string): boolean {
    return apiPath.test(pathOf(url));
  }

  /** The known path that is meant; null if none is. One that is written out comes before one with an id. */
  #find(path: string): string | null {
    if (this.#paths.has(path)) return path;
    for (const [known, { pattern }] of this.#paths) if (pattern.test(path)) return known;
    return null;
  }

  /** Why a request has no route. */
  refusalOf({ method, url }: FastifyRequest): ApiError {
    const path = pathOf(url);
    const shown = path.slice(0, 200);
    const known = this.#find(path);
    if (known !== null) {
      const allow = this.#allowOf(known);
      return new ApiError('method_not_allowed', `\`${shown}\` does not take ${method}; it takes ${allow}.`, { allow });
    }
    const unknown = `There is no route \`${method} ${shown}\``;
    if (this.#isWorker) {
      const here = 'in this process: it is a worker (`TENURE_ROLE`).';
      return new ApiError('route_unknown', `${unknown} ${here} Send requests to one of the role \`api\` or \`all\`.`);
    }
    const withoutSlash = path.replace(/\/+$/, '');
    if (withoutSlash !== path && this.#find(withoutSlash) !== null) {
      const wanted = withoutSlash.slice(0, 200);
      return new ApiError('route_unknown', `${unknown}. Leave out the slash at its end: \`${wanted}\`.`);
    }
    const nearest = nearestName(withoutSlash, this.#paths.keys());
    if (nearest !== null) return new ApiError('route_unknown', `${unknown}. Did you mean \`${nearest}\`?`);
    const where = apiPath.test(path) ? '' : ' Every path of the API starts with `/v1/`.';
    return new ApiError(
      'route_unknown',
      `There is no path \`${shown}\`.${where} See \`/docs\` for the paths that there are.`,
    );
  }
}

/** The path as the router reads it: without a scheme and host, decoded, without the query. */
export function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]!;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
