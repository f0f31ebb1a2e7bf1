import type { FastifyRequest } from 'fastify';
import { ApiError } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';

/** Every path of the API starts with it, and nothing below it is answered without a key. */
const apiPath = /^\/v1(\/|$)/;

/** Knows which paths there are and which methods they take, to tell a wrong method from a wrong path. */
export class KnownPaths {
  readonly #isWorker: boolean;
  readonly #paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();

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

  /** Whether the path belongs to the API, however it is spelt. */
  isApi(url: string): boolean {
    return apiPath.test(pathOf(url));
  }

  /** Why a request has no route. */
  refusalOf({ method, url }: FastifyRequest): ApiError {
    const path = pathOf(url);
    const shown = path.slice(0, 200);
    for (const { pattern, methods } of this.#paths.values()) {
      if (!pattern.test(path)) continue;
      const allow = [...methods].join(', ');
      return new ApiError('method_not_allowed', `\`${shown}\` does not take ${method}; it takes ${allow}.`, { allow });
    }
    const unknown = `There is no route \`${method} ${shown}\``;
    if (this.#isWorker) {
      const here = 'in this process: it is a worker (`TENURE_ROLE`).';
      return new ApiError('route_unknown', `${unknown} ${here} Send requests to one of the role \`api\` or \`all\`.`);
    }
    const nearest = nearestName(path.replace(/\/+$/, ''), this.#paths.keys());
    const hint = nearest === null ? 'Every path of the API starts with /v1/.' : `Did you mean \`${nearest}\`?`;
    return new ApiError('route_unknown', `${unknown}. ${hint}`);
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
