import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import { nearestName } from '../../core/nearest.ts';

/** Every path of the API begins with it, and requires a key. */
const apiPath = /^\/v1(\/|$)/;

/** Knows all paths and their methods, to tell a wrong method from a wrong path. */
export class KnownPaths {
  readonly #isWorker: boolean;
  readonly #paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  /** The paths that need no key. */
  readonly #pages = new Set<string>();

  /** @param server.isWorker tells that the server has no path of the API. */
  constructor(server: { isWorker: boolean }) {
    this.#isWorker = server.isWorker;
  }

  /** @param path the path, with names such as `:id` for its variable parts, and `*` for any end. */
  add(method: string | string[], path: string): void {
    const known = this.#paths.get(path) ?? {
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll(/:\w+/g, '[^/]+')}$`),
      methods: new Set(),
    };
    for (const each of [method].flat()) known.methods.add(each);
    this.#paths.set(path, known);
  }

  /** Adds a path that needs no key, and OPTIONS for it. */
  addPage(method: string | string[], path: string): void {
    this.add(method, path);
    this.add('OPTIONS', path);
    this.#pages.add(path);
  }

  /**
   * Responds to OPTIONS of a page, and redirects a page's path with slashes at its end. Returns whether the request was one of these. Pages
   * only: below `/v1` every request needs a key, and a path has one spelling.
   */
  respondForPage({ method, url }: FastifyRequest, reply: FastifyReply): boolean {
    const [path = ''] = url.split('?', 1);
    const known = this.#find(path);
    if (method === 'OPTIONS' && known !== null && this.#pages.has(known)) {
      void reply.code(204).header('allow', this.#allowOf(known)).send();
      return true;
    }
    const page = path.replace(/\/+$/, '');
    if (page === path || !this.#pages.has(page) || !['GET', 'HEAD'].includes(method)) return false;
    // A relative path works behind any proxy.
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

  /** Returns whether the path belongs to the API, in any spelling. */
  isApi(url: string): boolean {
    return apiPath.test(pathOf(url));
  }

  /** Returns the known path that matches, or null. Literal paths come before paths with an id. */
  #find(path: string): string | null {
    if (this.#paths.has(path)) return path;
    for (const [known, { pattern }] of this.#paths) if (pattern.test(path)) return known;
    return null;
  }

  /** Returns the error for a request without a route. */
  refusalOf({ method, url }: FastifyRequest): ApiError {
    const path = pathOf(url);
    const shown = path.slice(0, 200);
    const known = this.#find(path);
    if (known !== null) {
      const allow = this.#allowOf(known);
      return new ApiError('method_not_allowed', `\`${shown}\` does not support ${method}. Use ${allow}.`, { allow });
    }
    const unknown = `There is no route \`${method} ${shown}\``;
    if (this.#isWorker) {
      const here = 'in this process: it is a worker (`TENURE_ROLE`).';
      return new ApiError(
        'route_unknown',
        `${unknown} ${here} Send requests to a process with the role \`api\` or \`all\`.`,
      );
    }
    const withoutSlash = path.replace(/\/+$/, '');
    if (withoutSlash !== path && this.#find(withoutSlash) !== null) {
      const wanted = withoutSlash.slice(0, 200);
      return new ApiError('route_unknown', `${unknown}. Remove the slash at its end: \`${wanted}\`.`);
    }
    const nearest = nearestName(withoutSlash, this.#paths.keys());
    if (nearest !== null) return new ApiError('route_unknown', `${unknown}. Did you mean \`${nearest}\`?`);
    const where = apiPath.test(path) ? '' : ' Every path of the API starts with `/v1/`.';
    return new ApiError('route_unknown', `There is no path \`${shown}\`.${where} See \`/docs\` for all paths.`);
  }
}

/** Returns the path as the router reads it: decoded, without scheme, host and query. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
