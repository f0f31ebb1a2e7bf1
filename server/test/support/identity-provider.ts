import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { freePort } from './free-port.ts';

export const clientId = 'tenure';
/** Its special characters must be encoded in a header (RFC 6749, 2.3.1). */
export const clientSecret = 'a secret: 100% safe & sound';

/** What a provider does wrong, or differently from most. */
export interface Misconduct {
  /** Members of its description. Undefined leaves one out. */
  description?: Record<string, unknown>;
  /** Replaces the response of a path. */
  respond?: Record<string, (response: ServerResponse) => void>;
  /** Changes the claims of the token. */
  claims?: (claims: JWTPayload) => JWTPayload;
  /** Signs the token. Null sends none. */
  sign?: (claims: JWTPayload, provider: TestIdentityProvider) => Promise<string> | null;
  /** Accepts a code several times. */
  acceptsAgain?: true;
  /** Leaves these claims to its endpoint for them. */
  userInfo?: Record<string, unknown>;
}

interface Grant {
  nonce: string;
  challenge: string;
  redirectUri: string;
  claims: Record<string, unknown>;
}

/** An OpenID provider on this machine that knows one client. It checks all that a provider must check, and misbehaves on demand. */
export class TestIdentityProvider {
  readonly issuer: string;
  readonly keys: { privateKey: CryptoKey; publicKey: CryptoKey };
  misconduct: Misconduct = {};
  readonly #server: ReturnType<typeof createServer>;
  readonly #grants = new Map<string, Grant>();
  readonly #subjects = new Map<string, unknown>();

  private constructor(server: ReturnType<typeof createServer>, keys: TestIdentityProvider['keys']) {
    this.#server = server;
    this.keys = keys;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#respond(request, response));
  }

  /** @param port by default one that stays its own after a stop. */
  static async start(port?: number): Promise<TestIdentityProvider> {
    const server = createServer().listen(port ?? (await freePort()), '127.0.0.1');
    await once(server, 'listening');
    return new TestIdentityProvider(server, await generateKeyPair('RS256', { extractable: true }));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Returns the settings of a server that uses this provider. */
  settings(): Record<string, string> {
    return {
      TENURE_OIDC_ISSUER: this.issuer,
      TENURE_OIDC_CLIENT_ID: clientId,
      TENURE_OIDC_CLIENT_SECRET: clientSecret,
      TENURE_OIDC_NAME: 'Acme Login',
    };
  }

  /** Signs a person in, as if at the page of this address. Returns the parameters with which the browser goes back. */
  authorize(address: string, claims: Record<string, unknown>): URLSearchParams {
    const { searchParams, origin, pathname } = new URL(address);
    const asked = Object.fromEntries(searchParams);
    assert.equal(origin + pathname, `${this.issuer}/authorize`);
    assert.equal(asked.client_id, clientId);
    assert.equal(asked.response_type, 'code');
    assert.equal(asked.scope, 'openid email profile');
    assert.equal(asked.code_challenge_method, 'S256');
    assert.match(asked.redirect_uri!, /\/dashboard\/identity-provider$/);
    for (const secret of ['state', 'nonce', 'code_challenge']) assert.match(asked[secret]!, /^[\w-]{43}$/);
    const code = randomBytes(16).toString('hex');
    this.#grants.set(code, {
      nonce: asked.nonce!,
      challenge: asked.code_challenge!,
      redirectUri: asked.redirect_uri!,
      claims,
    });
    return new URLSearchParams({ code, state: asked.state!, iss: this.issuer });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!.split('?', 1)[0]!;
    const replaced = this.misconduct.respond?.[path];
    if (replaced) return replaced(response);
    if (path === '/.well-known/openid-configuration') return send(response, 200, this.#description());
    if (path === '/jwks') {
      const key = { ...(await exportJWK(this.keys.publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
      return send(response, 200, { keys: [key] });
    }
    if (path === '/userinfo') {
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (!this.#subjects.has(token)) return send(response, 401, { error: 'invalid_token' });
      return send(response, 200, { sub: this.#subjects.get(token), ...this.misconduct.userInfo });
    }
    if (path === '/token' && request.method === 'POST') return this.#grantTokens(request, response);
    return send(response, 404, { error: 'not_found' });
  }

  #description(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...this.misconduct.description,
    };
  }

  async #grantTokens(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = Object.fromEntries(new URLSearchParams(await text(request)));
    const [id, secret] = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':')
      .map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    const byHeader = id === clientId && secret === clientSecret;
    const byBody = sent.client_id === clientId && sent.client_secret === clientSecret;
    if (!byHeader && !byBody) return send(response, 401, { error: 'invalid_client' });
    const grant = this.#grants.get(sent.code ?? '');
    const challenge = createHash('sha256')
      .update(sent.code_verifier ?? '')
      .digest('base64url');
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== sent.redirect_uri)
      return send(response, 400, { error: 'invalid_grant' });
    if (!this.misconduct.acceptsAgain) this.#grants.delete(sent.code!);
    const accessToken = randomBytes(16).toString('hex');
    this.#subjects.set(accessToken, grant.claims.sub);
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: this.issuer, aud: clientId, iat: now, exp: now + 300, nonce: grant.nonce, ...grant.claims };
    const { claims: change = (unchanged) => unchanged, sign = signed } = this.misconduct;
    const token = await sign(change(claims), this);
    return send(response, 200, {
      access_token: accessToken,
      token_type: 'Bearer',
      ...(token !== null && { id_token: token }),
    });
  }
}

/** Signs claims as a provider should. */
export function signed(claims: JWTPayload, { keys }: TestIdentityProvider): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(keys.privateKey);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
