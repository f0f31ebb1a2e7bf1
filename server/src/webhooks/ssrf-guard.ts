import type { LookupAddress } from 'node:dns';
import dns from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { AddressRanges } from '../core/addresses/address-ranges.ts';
import { isAllowedAddress, isLocalhost } from '../core/addresses/target-addresses.ts';

/** Resolves a host name to its addresses. Rejects, or returns none, if there are none. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/** The URL's host is, or has, an address that is not allowed. Nothing was sent to it. The message may be shown to the customer. */
export class TargetForbiddenError extends Error {
  readonly code = 'ERR_TARGET_FORBIDDEN';

  constructor() {
    super('The host of the URL has an address that is not allowed.');
  }
}

/** The URL's host name has no address at present. The message may be shown to the customer; the cause is for the operator only. */
export class HostUnresolvedError extends Error {
  readonly code = 'ERR_HOST_UNRESOLVED';

  constructor(cause?: unknown) {
    super('The host name of the URL could not be resolved.', { cause });
  }
}

/**
 * Opens connections for undici's `Pool({ connect })`, only to allowed addresses and only for HTTP/1.1. A name is resolved once for each
 * connection. All of its addresses are checked, and only those are connected to. So a name server that changes its response gains nothing.
 * Last, the address of the open connection is checked.
 *
 * The callback gets {@link TargetForbiddenError}, {@link HostUnresolvedError}, or an error of undici, Node or TLS. Messages of the latter
 * may name addresses, so do not show them to the customer.
 *
 * @param settings.connectTimeoutMs for resolving, connecting and the TLS handshake together.
 */
export function guardedConnector(settings: {
  allowed: AddressRanges;
  resolve: ResolveHost;
  connectTimeoutMs: number;
}): buildConnector.connector {
  const { allowed, resolve, connectTimeoutMs } = settings;

  const find = callbackify((hostname: string) => allowedAddresses(hostname, { allowed, resolve }));
  const lookup: LookupFunction = (hostname, options, callback) => {
    find(hostname, (error, found) => {
      if (error !== null) callback(error, []);
      else if (options.all) callback(null, found);
      else callback(null, found[0].address, found[0].family);
    });
  };
  const connect = buildConnector({ lookup, autoSelectFamily: true, allowH2: false, timeout: connectTimeoutMs });

  return (options, callback) => {
    // Node never looks up a literal address, so `lookup` alone would let each of them through.
    if (isIP(options.hostname) > 0 && !isAllowedAddress(options.hostname, allowed)) {
      queueMicrotask(() => callback(new TargetForbiddenError(), null));
      return;
    }
    connect(withServerName(options), (error, socket) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      const fault = socketFault(socket.remoteAddress, allowed);
      if (fault === null) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(fault, null);
    });
  };
}

async function allowedAddresses(
  hostname: string,
  { allowed, resolve }: { allowed: AddressRanges; resolve: ResolveHost },
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(hostname).catch((error: unknown) => {
    throw new HostUnresolvedError(error);
  });
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
  if (first === undefined) throw new HostUnresolvedError();
  // One forbidden address is enough: an honest public name has none.
  if (![first, ...others].every(({ address }) => isAllowedAddress(address, allowed))) throw new TargetForbiddenError();
  return [first, ...others];
}

/** Removes a name's final dot, which is no part of the server name (RFC 6066 §3). */
function withServerName(options: buildConnector.Options): buildConnector.Options {
  if (isIP(options.hostname) > 0) return options;
  return { ...options, servername: (options.servername ?? options.hostname).replace(/\.$/, '') };
}

function socketFault(remoteAddress: string | undefined, allowed: AddressRanges): Error | null {
  // The other side closed the connection before this check.
  if (remoteAddress === undefined)
    return Object.assign(new Error('The connection was closed at once.'), { code: 'ECONNRESET' });
  return isAllowedAddress(remoteAddress, allowed) ? null : new TargetForbiddenError();
}

/**
 * Resolves by the machine's name servers. For names that they do not know, it uses the machine's own names: `/etc/hosts`, or services of a
 * container network. It takes at most five seconds. A result is cached for 30 seconds, and a failure for 5.
 *
 * If one family cannot be resolved, the result has only addresses of the other. That is safe, because connections use checked addresses
 * only.
 */
export const systemResolve: ResolveHost = cacheAddresses(askSystem);

const dnsBudgetMs = 3_000;
const lookupBudgetMs = 2_000;

/** No such name, no such records of it, or no name server to ask. */
const unknownCodes = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

async function askSystem(hostname: string): Promise<string[]> {
  if (isLocalhost(hostname)) return ['127.0.0.1', '::1'];
  // A resolver for each question, so that its cancel leaves the others alone.
  const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });
  const giveUp = setTimeout(() => resolver.cancel(), dnsBudgetMs);
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  clearTimeout(giveUp);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (addresses.length > 0) return addresses;
  for (const result of results) {
    if (result.status === 'rejected' && !unknownCodes.has(result.reason.code)) throw result.reason;
  }
  // It holds one of the few threads that files and cryptography need too, so it comes last, for unknown names.
  const found = await Promise.race([dns.lookup(hostname, { all: true }), delay(lookupBudgetMs, [], { ref: false })]);
  if (found.length === 0) throw new Error(`The machine did not resolve ${hostname} in time.`);
  return found.map(({ address }) => address);
}

const cacheMs = 30_000;
const rememberFailureMs = 5_000;
const rememberedMax = 10_000;

/** Asks once for all concurrent callers of the same name, and caches the result. The oldest entry makes room. */
function cacheAddresses(ask: ResolveHost): ResolveHost {
  const remembered = new Map<string, { result: Promise<string[]>; untilMs: number }>();
  return (hostname) => {
    const known = remembered.get(hostname);
    if (known && performance.now() < known.untilMs) return known.result;
    const entry = { result: ask(hostname), untilMs: Infinity };
    const rememberFor = (durationMs: number): void => {
      entry.untilMs = performance.now() + durationMs;
    };
    entry.result.then(
      () => rememberFor(cacheMs),
      () => rememberFor(rememberFailureMs),
    );
    remembered.delete(hostname);
    remembered.set(hostname, entry);
    if (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value!);
    return entry.result;
  };
}
