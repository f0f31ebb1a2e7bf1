import { checkedPath, jsonBody, withQuery, type Params } from './encoding.ts';
import { operations } from './generated/operations.ts';
import { newestVersion, type ApiVersion, type EventOf, type ResourcesOf } from './generated/versions.ts';
import { makeMethods } from './resources.ts';
import {
  checkNames,
  isBrowser,
  readJson,
  TenurePromise,
  Transport,
  type Fetch,
  type RequestInfo,
  type RequestOptions,
  type ResponseInfo,
  type Settings,
} from './transport.ts';
import { constructEvent, signTestHeader, type ConstructEventOptions, type RawBody } from './webhooks.ts';

export interface TenureConfig<V extends ApiVersion = typeof newestVersion> {
  /** The default is the environment variable `TENURE_API_KEY`. Null sends no key, for a page that has a session. */
  apiKey?: string | null | undefined;
  /**
   * The address of the server. The default is the environment variable `TENURE_BASE_URL`, then `http://127.0.0.1:4000` for test keys. A page
   * without a key uses its own server.
   */
  baseUrl?: string | undefined;
  /** The API version of all requests, and of all types. The default is the newest version that this package knows. */
  apiVersion?: V | undefined;
  /** The account to act upon, `acct_…`: a connected one, for example. */
  account?: string | undefined;
  /** The limit of each attempt in milliseconds. The default is 30,000. */
  timeoutMs?: number | undefined;
  /** The number of attempts after the first one. The default is 2. */
  maxRetries?: number | undefined;
  /** Sends the requests instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Is called before each attempt. An error of it fails the call. */
  onRequest?: ((request: RequestInfo) => void) | undefined;
  /** Is called after each attempt. An error of it fails the call. */
  onResponse?: ((response: ResponseInfo) => void) | undefined;
  /** Allows an API key in a page, where all visitors can read it. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The functions of `tenure/webhooks`, with events in the version of the client. */
export interface Webhooks<V extends ApiVersion> {
  constructEvent<W extends ApiVersion = V>(
    rawBody: RawBody,
    header: string | null | undefined,
    secret: string,
    options?: ConstructEventOptions<W>,
  ): Promise<EventOf[W]>;
  signTestHeader: typeof signTestHeader;
}

/** What a client has besides the resources. */
export class TenureClient<V extends ApiVersion = typeof newestVersion> {
  readonly webhooks: Webhooks<V> = { constructEvent, signTestHeader };
  readonly #transport: Transport;

  /** @throws {TypeError} if the API key or the address is missing or wrong, or if there are two arguments. No message has the key. */
  constructor(given: string | TenureConfig<V> = {}, ...others: never[]) {
    // Stripe's client takes options there. JavaScript would drop them, also the account to act for.
    if (others.length > 0) {
      throw new TypeError('`new Tenure` takes one argument. Put the key into the options: `{ apiKey, … }`.');
    }
    this.#transport = new Transport(settingsOf(typeof given === 'string' ? { apiKey: given } : given));
    Object.assign(this, makeMethods(operations, this.#transport));
  }

  /**
   * Sends a request to any path, such as one that this package does not know yet. Parameters of a GET or DELETE go into the query, and
   * those of a POST into the body.
   */
  request<T = unknown>(method: string, path: string, params?: object, options: RequestOptions = {}): TenurePromise<T> {
    const send = async (): Promise<Awaited<ReturnType<TenurePromise<T>['withResponse']>>> => {
      const known = methods.find((each) => each === method.toUpperCase());
      if (!known) throw new TypeError(`The method must be one of ${methods.join(', ')}.`);
      const target = checkedPath(path);
      return this.#transport.send(
        known === 'POST'
          ? { method: known, path: target, body: params && jsonBody(params as Params) }
          : { method: known, path: withQuery(target, (params ?? {}) as Params) },
        options,
        readJson as (response: Response) => Promise<T>,
      );
    };
    const answer = send();
    return new TenurePromise(() => answer);
  }
}

/** A client with the resources and types of an API version. */
export type Tenure<V extends ApiVersion = typeof newestVersion> = TenureClient<V> & ResourcesOf[V];

interface TenureConstructor {
  /** Makes a client from an API key, or from the environment. */
  new (apiKey?: string): Tenure;
  new <const V extends ApiVersion = typeof newestVersion>(config: TenureConfig<V>): Tenure<V>;
}

/** The client of the API: `new Tenure('sk_test_…')`. */
export const Tenure = TenureClient as unknown as TenureConstructor;

const methods = ['GET', 'POST', 'DELETE'] as const;

/** The address of a server that runs on this machine. */
const localUrl = 'http://127.0.0.1:4000';

const configNames: readonly (keyof TenureConfig)[] = [
  'apiKey',
  'baseUrl',
  'apiVersion',
  'account',
  'timeoutMs',
  'maxRetries',
  'fetch',
  'onRequest',
  'onResponse',
  'dangerouslyAllowBrowser',
];

function settingsOf(config: TenureConfig<ApiVersion>): Settings {
  checkNames(config, configNames);
  const apiKey = config.apiKey === null ? null : checkedKey(config.apiKey ?? fromEnvironment('TENURE_API_KEY') ?? null);
  if (apiKey !== null && isBrowser() && config.dangerouslyAllowBrowser !== true) {
    throw new TypeError(
      'All visitors of a page can read its API key. Call Tenure from your server instead. If the key is meant to be public, set `dangerouslyAllowBrowser`.',
    );
  }
  return {
    apiKey,
    baseUrl: checkedUrl(config.baseUrl ?? fromEnvironment('TENURE_BASE_URL') ?? defaultUrl(apiKey)),
    apiVersion: config.apiVersion ?? newestVersion,
    account: config.account ?? null,
    timeoutMs: config.timeoutMs ?? 30_000,
    maxRetries: config.maxRetries ?? 2,
    fetch: config.fetch,
    onRequest: config.onRequest,
    onResponse: config.onResponse,
  };
}

function checkedKey(apiKey: unknown): string | null {
  if (apiKey === null && isBrowser()) return null;
  if (apiKey === null || apiKey === '') {
    throw new TypeError('There is no API key. Pass `apiKey`, or set the environment variable TENURE_API_KEY.');
  }
  // A header cannot have other characters, and an error of `fetch` would quote the key.
  if (typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new TypeError('The API key must be a text without spaces and line breaks, such as `sk_test_…`.');
}

function defaultUrl(apiKey: string | null): string {
  if (apiKey === null && isBrowser()) return location.origin;
  if (apiKey?.includes('_test_')) return localUrl;
  throw new TypeError('There is no `baseUrl`. Pass the address of your deployment, or set TENURE_BASE_URL.');
}

/** Returns the address without a slash at its end. A path stays, for a server behind a proxy. */
function checkedUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash) {
    return url.href.replace(/\/+$/, '');
  }
  const advice = /^[\w.-]+(:\d+)?(\/|$)/.test(baseUrl) ? ` Did you mean \`http://${baseUrl}\`?` : '';
  throw new TypeError(
    `\`baseUrl\` must be an address like \`https://tenure.example.com\`, without a user, a password, a query and a fragment.${advice}`,
  );
}

/** Reads an environment variable. An empty one counts as missing. Browsers and some workers have no environment. */
function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
