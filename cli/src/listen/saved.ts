import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { configFolder } from '../settings/config-file.ts';
import { createPrivateFile, readPrivateFile, writePrivateFile } from '../settings/private-files.ts';
import { newSigningSecret } from './payload.ts';

/** Where forwarding to one receiver has come to. */
export interface SavedPlace {
  /** The position after which the stream continues. */
  after?: string;
  /** The endpoint that `--as-endpoint` made. */
  endpoint?: string;
  /** When it stopped, in seconds since the Unix epoch. */
  stoppedAt?: number;
}

/** What `listen` keeps between two starts, for a profile and an account. All files are private: one of them has the secret. */
export class SavedListening {
  readonly #folder: string;
  readonly #account: string;
  readonly #placeFile: string;
  #savedText: string | null = null;

  constructor(env: NodeJS.ProcessEnv, profile: string, account: string, receiver: string) {
    this.#folder = join(configFolder(env), 'listen');
    this.#account = hashOf(`${profile}\n${account}`);
    this.#placeFile = join(this.#folder, `${this.#account}-${hashOf(receiver)}.json`);
  }

  /** Returns the signing secret of the profile and account. Makes it once. */
  signingSecret(): string {
    const path = join(this.#folder, `${this.#account}.secret`);
    if (!readPrivateFile(path)) createPrivateFile(path, `${newSigningSecret()}\n`);
    // Another process may have made the file just now. Then both take its secret.
    return readPrivateFile(path)!.trim();
  }

  place(): SavedPlace | null {
    const text = readPrivateFile(this.#placeFile);
    if (text === null) return null;
    try {
      return JSON.parse(text) as SavedPlace;
    } catch {
      return null;
    }
  }

  save(place: SavedPlace): void {
    const text = `${JSON.stringify(place)}\n`;
    if (text === this.#savedText) return;
    writePrivateFile(this.#placeFile, text, { durable: false });
    this.#savedText = text;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
