import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ClientAuth,
  type Configuration,
  type CustomFetch,
} from 'openid-client';
import type { Clock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { lineFault } from '../core/formats.ts';
import { isLoopbackUrl } from '../core/addresses/loopback.ts';

/** The settings of a company's own identity provider (OpenID Connect). */
export interface IdentityProviderSettings {
  /** As its tokens name it, without a slash at the end unless it has one there. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The text of the button. */
  name: string;
}

/** The path of the dashboard's page to which the provider sends the browser back. */
const returnPath = '/dashboard/identity-provider';

/** Seconds for one call of the provider. */
const callSeconds = 10;

/** Bytes of one response. Documents and tokens have some kilobytes. */
const responseBytesMax = 512 * 1024;

/** How long the provider's own description counts, and how long a failure to read it. In milliseconds. */
const descriptionMaxMs = 3_600_000;
const failureMaxMs = 5_000;

/** An address has at most 254 characters (RFC 5321), and a subject 255 (OpenID Connect Core, 2). */
const emailLengthMax = 254;
const subjectLengthMax = 255;
const nameLengthMax = 200;

/** Values of `acr` that mean several factors: of REFEDS, and of the older PAPE. */
const acrOfSeveralFactors = new Set([
  'https://refeds.org/profile/mfa',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
]);

/** The secrets of one sign-in, which only the browser that began it can send. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

/** What the provider has proved about a person. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Null unless the provider has verified it. */
  email: string | null;
  name: string | null;
  /** The person has used several factors there. */
  hasSeveralFactors: boolean;
  /** When the person last proved its identity there, in seconds. Null if the provider does not tell. */
  provedAt: number | null;
}

/** Why a sign-in by the provider failed. The message is for the operator. */
export class IdentityProviderFault extends Error {
  readonly kind: 'unreachable' | 'denied' | 'refused';

  constructor(kind: IdentityProviderFault['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Signs people in by a company's own identity provider: the authorization code flow with PKCE (RFC 6749, RFC 7636). */
export class IdentityProvider {
  readonly name: string;
  readonly issuer: string;
  readonly #settings: IdentityProviderSettings;
  readonly #redirectUri: string;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #described: { configuration: Configuration; atMs: number } | null = null;
  #failed: { fault: IdentityProviderFault; atMs: number } | null = null;
  #reading: Promise<Configuration> | null = null;

  /** @param publicUrl the address of this deployment. The provider sends browsers back there, and nowhere else. */
  constructor(settings: IdentityProviderSettings, publicUrl: string, clock: Pick<Clock, 'nowMs'>) {
    this.name = settings.name;
    this.issuer = settings.issuer;
    this.#settings = settings;
    this.#redirectUri = publicUrl + returnPath;
    this.#clock = clock;
  }

  /**
   * Returns the address at the provider where a person signs in.
   *
   * @param isFresh asks the provider for a new proof, although the person may still be signed in there.
   * @throws {IdentityProviderFault}
   */
  async begin({ state, nonce, verifier }: FlowSecrets, { isFresh }: { isFresh: boolean }): Promise<string> {
    const configuration = await this.#configuration();
    try {
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: this.#redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(isFresh && { prompt: 'login', max_age: '0' }),
      });
      this.#requireSafe(url);
      return url.href;
    } catch (error) {
      throw faultOf(error, 'unreachable');
    }
  }

  /**
   * Returns what the provider has proved.
   *
   * @param response the parameters with which the provider has sent the browser back.
   * @throws {IdentityProviderFault}
   */
  async prove(response: string, { state, nonce, verifier }: FlowSecrets): Promise<Identity> {
    const configuration = await this.#configuration();
    const url = new URL(this.#redirectUri);
    url.search = response;
    try {
      const tokens = await authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // A provider may leave the address out of the token (OpenID Connect Core, 5.4).
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const about =
        claims.email === undefined && hasUserInfo
          ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      return { ...identityOf(claims, about), issuer: this.issuer };
    } catch (error) {
      if (error instanceof AuthorizationResponseError)
        throw new IdentityProviderFault('denied', `The provider sent the error ${error.error.slice(0, 100)}.`, error);
      throw faultOf(error, isOutage(error) ? 'unreachable' : 'refused');
    }
  }

  /** Reads the provider's description at the first use. A provider that is away does not keep the server from starting. */
  async #configuration(): Promise<Configuration> {
    const nowMs = this.#clock.nowMs();
    if (this.#described && nowMs - this.#described.atMs < descriptionMaxMs) return this.#described.configuration;
    if (this.#failed && nowMs - this.#failed.atMs < failureMaxMs) throw this.#failed.fault;
    this.#reading ??= this.#describe().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #describe(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    try {
      const configuration = await discovery(new URL(issuer), clientId, undefined, clientAuthentication(clientSecret), {
        timeout: callSeconds,
        [customFetch]: boundedFetch((url) => this.#requireSafe(url)),
        // The signature of every token is checked, although the connection to the provider is encrypted.
        execute: [enableNonRepudiationChecks, ...(isInsecure(issuer) ? [allowInsecureRequests] : [])],
      });
      const found = configuration.serverMetadata().issuer;
      // A provider of many companies names the company in its tokens only. It would let people of all of them in.
      if (found !== issuer)
        throw new IdentityProviderFault(
          'unreachable',
          `The provider at ${issuer} names itself ${found.slice(0, 200)}.`,
        );
      this.#described = { configuration, atMs: this.#clock.nowMs() };
      this.#failed = null;
      return configuration;
    } catch (error) {
      const fault = faultOf(error, 'unreachable');
      this.#failed = { fault, atMs: this.#clock.nowMs() };
      throw fault;
    }
  }

  /** Refuses an address of the provider that sends secrets unencrypted over a network, or is none of the web. */
  #requireSafe(url: URL): void {
    if (url.protocol === 'https:' || (isInsecure(this.issuer) && isLoopbackUrl(url))) return;
    throw new IdentityProviderFault('unreachable', `The provider names an address without https: ${url.origin}.`);
  }
}

function isInsecure(issuer: string): boolean {
  return new URL(issuer).protocol === 'http:';
}

/** Sends the client's secret as the provider wants it. Without a word of it, in a header (OpenID Connect Discovery, 3). */
function clientAuthentication(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods } = server;
    const takesBasic = methods === undefined || methods.includes('client_secret_basic');
    return (takesBasic ? basic : post)(server, ...request);
  };
}

/** Fetches with a bound on the size of the response. The library bounds the time, and follows no redirect. */
function boundedFetch(check: (url: URL) => void): CustomFetch {
  return async (url, options) => {
    check(new URL(url));
    const response = await fetch(url, options as RequestInit);
    if (response.body === null) return response;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of response.body) {
      bytes += part.length;
      if (bytes > responseBytesMax)
        throw new IdentityProviderFault('refused', `The provider sent more than ${responseBytesMax} bytes.`);
      parts.push(part);
    }
    const { status, headers } = response;
    return new Response(Buffer.concat(parts), { status, headers });
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** @param about the claims about the person: those of the token, or of the endpoint for them. */
function identityOf(claims: Claims & { sub: string }, about: Claims): Omit<Identity, 'issuer'> {
  const { sub: subject, amr, acr, auth_time: provedAt } = claims;
  if (subject.length > subjectLengthMax || lineFault(subject) !== null)
    throw new IdentityProviderFault('refused', 'The subject of the token is empty, too long or no single line.');
  const { email, email_verified: isVerified, name } = about;
  const isLine = typeof email === 'string' && email.length <= emailLengthMax && lineFault(email) === null;
  return {
    subject,
    email: isVerified === true && isLine ? email : null,
    name: typeof name === 'string' && name.length <= nameLengthMax && lineFault(name) === null ? name : null,
    hasSeveralFactors:
      (Array.isArray(amr) && amr.includes('mfa')) || (typeof acr === 'string' && acrOfSeveralFactors.has(acr)),
    provedAt: typeof provedAt === 'number' ? Math.floor(provedAt) : null,
  };
}

/** Returns whether the provider did not answer at all, or in time. */
function isOutage(error: unknown): boolean {
  const names = [error, (error as Error | null)?.cause].map((each) => (each instanceof Error ? each.name : ''));
  return error instanceof TypeError || names.some((name) => name === 'TimeoutError' || name === 'AbortError');
}

/** @param kind of an error that is no fault yet. */
function faultOf(error: unknown, kind: IdentityProviderFault['kind']): IdentityProviderFault {
  return error instanceof IdentityProviderFault ? error : new IdentityProviderFault(kind, reasonOf(error), error);
}

/** Returns the reason for the operator, without what the provider sent: that may hold a token. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const inner = cause instanceof Error ? ` (${cause.message.slice(0, 200)})` : '';
  return errorMessage(error).slice(0, 300) + inner;
}
