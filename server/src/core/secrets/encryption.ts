import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { RandomBytes } from '../random.ts';

const nonceLength = 12;
const tagLength = 16;

/** The length of a master key in bytes. Its text is base64. */
export const masterKeyLength = 32;

/**
 * Encrypts and decrypts secrets with AES-256-GCM (NIST SP 800-38D) under the deployment's master key. An encrypted value is
 * nonce, tag and ciphertext. Random nonces are safe for 2^32 values under one key.
 */
export class Encryption {
  readonly #key: Uint8Array;
  readonly #randomBytes: RandomBytes;

  constructor(masterKey: Uint8Array, randomBytes: RandomBytes) {
    this.#key = masterKey;
    this.#randomBytes = randomBytes;
  }

  encrypt(text: string): Buffer {
    return this.encryptBytes(Buffer.from(text, 'utf8'));
  }

  encryptBytes(bytes: Buffer): Buffer {
    const nonce = Buffer.from(this.#randomBytes(nonceLength));
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tagLength });
    const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** Derives a secret for one purpose, in hex. It is always the same, and cannot be computed without the master key. */
  derive(purpose: string): string {
    return createHmac('sha256', this.#key).update(`derive ${purpose}`).digest('hex');
  }

  /** @throws {Error} if the value was encrypted with another key, or was changed. */
  decrypt(encrypted: Buffer): string {
    return this.decryptBytes(encrypted).toString('utf8');
  }

  /** @throws {Error} if the value was encrypted with another key, or was changed. */
  decryptBytes(encrypted: Buffer): Buffer {
    if (encrypted.length < nonceLength + tagLength)
      throw new Error('Invalid authentication tag: the encrypted value was cut.');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, encrypted.subarray(0, nonceLength), {
      authTagLength: tagLength,
    });
    decipher.setAuthTag(encrypted.subarray(nonceLength, nonceLength + tagLength));
    return Buffer.concat([decipher.update(encrypted.subarray(nonceLength + tagLength)), decipher.final()]);
  }
}
