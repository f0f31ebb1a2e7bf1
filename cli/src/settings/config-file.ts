import { homedir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { readPrivateFile, writePrivateFile } from './private-files.ts';

/** An account on a server, with its key. */
export interface Profile {
  api_key: string;
  base_url?: string;
  account?: string;
  /** Set if `tenure login` made the key by a code. Then `tenure logout` revokes it. */
  device_key?: { id: string; expires_at: number };
}

export interface ConfigFile {
  /** The profile of commands that name none. */
  profile: string;
  profiles: Record<string, Profile>;
}

/** Returns the folder of the settings: `tenure` in `$XDG_CONFIG_HOME`, or in `~/.config`. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'tenure');
}

export function configPath(env: NodeJS.ProcessEnv): string {
  return join(configFolder(env), 'config.json');
}

/** Reads the settings. There may be none. */
export function readConfigFile(env: NodeJS.ProcessEnv): ConfigFile {
  const path = configPath(env);
  const text = readPrivateFile(path);
  if (text === null) return { profile: 'default', profiles: {} };
  try {
    const { profile, profiles } = JSON.parse(text) as Partial<ConfigFile>;
    if (typeof profile === 'string' && typeof profiles === 'object') return { profile, profiles };
  } catch {
    // The message below must not quote the text: it has keys.
  }
  throw new CliError(`${path} is not valid. Correct it, or delete it and sign in again: tenure login`);
}

export function writeConfigFile(env: NodeJS.ProcessEnv, config: ConfigFile): void {
  writePrivateFile(configPath(env), `${JSON.stringify(config, null, 2)}\n`);
}
