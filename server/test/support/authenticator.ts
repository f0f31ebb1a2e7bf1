import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { Assertion, Attestation } from '../../src/sign-in/passkeys.ts';
import type { Browser } from './browser.ts';
import { good, type ApiResponse } from './server.ts';

/** Bits in the data of an authenticator (WebAuthn, 6.1). */
export const flags = { present: 0x01, verified: 0x04, hasKey: 0x40 };

/** What an authenticator does otherwise than it should. */
export interface Changes {
  /** In base64url. */
  challenge?: string;
  origin?: string;
  /** The host whose hash is signed. */
  host?: string;
  flags?: number;
  counter?: number;
  /** The id of the passkey in base64url, such as that of another person. */
  id?: string;
  /** The text, before base64url. Null sends none. */
  userHandle?: string | null;
  type?: string;
  /** Signs other bytes than it sends. */
  isForged?: boolean;
}

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

/** A device with one passkey, in software (WebAuthn, 6). It signs with ES256. */
export class Authenticator {
  readonly id = randomBytes(32).toString('base64url');
  /** The text by which the passkey knows its user. */
  userHandle = '';
  /** The value that the device sends next. 0 counts nothing, as most passkeys do. */
  counter: number;
  readonly #privateKey: KeyObject;
  readonly #publicKey: Uint8Array;

  constructor({ counter = 0 } = {}) {
    this.counter = counter;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    this.#privateKey = privateKey;
    // An EC2 key of the algorithm ES256 (RFC 9053, 7.1.1).
    this.#publicKey = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytesOf(x!)],
        [-3, bytesOf(y!)],
      ]),
    );
  }

  /** Registers the passkey of a person that has confirmed its identity. */
  async register(browser: Browser, name = 'Laptop'): Promise<ApiResponse> {
    const { options } = (await good(browser.post('/auth/passkeys/begin'))).body;
    return good(browser.post('/auth/passkeys/finish', { name, passkey: this.attest(browser, options) }));
  }

  /** Signs the owner of the passkey in. */
  async signIn(browser: Browser, changes: Changes = {}): Promise<ApiResponse> {
    const { options } = (await good(browser.post('/auth/passkeys/sign_in/begin'))).body;
    return browser.post('/auth/passkeys/sign_in/finish', { passkey: this.assert(browser, options, changes) });
  }

  /** Confirms the identity of the person in a browser. */
  async confirm(browser: Browser, changes: Changes = {}): Promise<ApiResponse> {
    const { options } = (await good(browser.post('/auth/passkeys/confirm/begin'))).body;
    return browser.post('/auth/confirm', { passkey: this.assert(browser, options, changes) });
  }

  /** Returns the new passkey as a browser sends it. */
  attest(browser: Browser, options: Options, changes: Changes = {}): Attestation {
    this.userHandle = Buffer.from(options.user!.id, 'base64url').toString();
    const id = bytesOf(changes.id ?? this.id);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const key = [Buffer.alloc(16), length, id, this.#publicKey];
    const data = this.#dataOf(browser, { flags: flags.present | flags.verified | flags.hasKey, ...changes }, key);
    const attestation = isoCBOR.encode(
      new Map<string, string | Map<string, string> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, string>()],
        ['authData', data],
      ]),
    );
    return {
      id: changes.id ?? this.id,
      client_data: clientDataOf(browser, 'webauthn.create', options, changes).toString('base64url'),
      attestation: Buffer.from(attestation).toString('base64url'),
      transports: ['internal', 'hybrid'],
    };
  }

  /** Returns the answer to a challenge as a browser sends it. */
  assert(browser: Browser, options: Options, changes: Changes = {}): Assertion {
    if (this.counter > 0) this.counter++;
    const clientData = clientDataOf(browser, 'webauthn.get', options, changes);
    const data = this.#dataOf(browser, { flags: flags.present | flags.verified, ...changes });
    const clientHash = createHash('sha256').update(clientData).digest();
    const signed = Buffer.concat([data, clientHash, ...(changes.isForged ? [Buffer.of(0)] : [])]);
    const handle = changes.userHandle === undefined ? this.userHandle : changes.userHandle;
    return {
      id: changes.id ?? this.id,
      client_data: clientData.toString('base64url'),
      authenticator_data: data.toString('base64url'),
      signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
      ...(handle !== null && { user_handle: Buffer.from(handle).toString('base64url') }),
    };
  }

  #dataOf(browser: Browser, changes: Changes, rest: readonly Uint8Array[] = []): Buffer<ArrayBuffer> {
    const host = changes.host ?? new URL(browser.url).hostname;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(changes.counter ?? this.counter);
    return Buffer.concat([createHash('sha256').update(host).digest(), Buffer.of(changes.flags!), counter, ...rest]);
  }
}

function clientDataOf(browser: Browser, type: string, { challenge }: Options, changes: Changes): Buffer {
  const data = { type, challenge, origin: browser.url, crossOrigin: false };
  const changed = {
    ...(changes.type !== undefined && { type: changes.type }),
    ...(changes.challenge !== undefined && { challenge: changes.challenge }),
    ...(changes.origin !== undefined && { origin: changes.origin }),
  };
  return Buffer.from(JSON.stringify({ ...data, ...changed }));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
