import { CliError, exitCodes } from '../errors.ts';
import { adviceOn } from '../nearest.ts';
import { readConfigFile } from './config-file.ts';

/** The flags that all commands take. */
export interface GlobalFlags {
  profile?: string;
  baseUrl?: string;
  account?: string;
  serviceVersion?: string;
  json?: boolean;
  fields?: string;
  curl?: boolean;
  yes?: boolean;
  /** False with `--no-input`. */
  input?: boolean;
}

/** Where requests go, and with which key. */
export interface Settings {
  profile: string;
  apiKey: string;
  /** Undefined means the default of the SDK: this machine, for a test key. */
  baseUrl: string | undefined;
  account: string | undefined;
  /** Undefined means the newest version that the SDK knows. */
  apiVersion: string | undefined;
  isLive: boolean;
}

/** The address of a server that runs on this machine. */
export const localUrl = 'http://127.0.0.1:4000';

/**
 * Finds the settings of a command. A flag wins over the environment, and the environment over the file.
 *
 * @throws {CliError} if there is no key, or no such profile.
 */
export function readSettings(flags: GlobalFlags, env: NodeJS.ProcessEnv): Settings {
  const { apiKey, ...settings } = readKeylessSettings(flags, env);
  if (apiKey === undefined) {
    throw new CliError(
      'There is no API key. Run `tenure login --api-key -`, or set TENURE_API_KEY.',
      exitCodes.noAccess,
    );
  }
  return { ...settings, apiKey, isLive: apiKey.includes('_live_') };
}

/**
 * Finds the settings of a command that may do without a key.
 *
 * @throws {CliError} if there is no such profile.
 */
export function readKeylessSettings(
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): Omit<Settings, 'apiKey' | 'isLive'> & { apiKey: string | undefined } {
  const config = readConfigFile(env);
  const named = flags.profile ?? (env.TENURE_PROFILE || undefined);
  const profile = named ?? config.profile;
  const stored = config.profiles[profile];
  const envKey = env.TENURE_API_KEY || undefined;
  if (named !== undefined && !stored && envKey === undefined) {
    const names = Object.keys(config.profiles);
    throw new CliError(
      `There is no profile "${profile}".${names.length > 0 ? adviceOn(profile, names) : ' Make it: tenure login --api-key - --profile ' + profile}`,
      exitCodes.usage,
    );
  }
  // A profile that a flag names brings its own key.
  const apiKey = flags.profile !== undefined && stored ? stored.api_key : (envKey ?? stored?.api_key);
  return {
    profile,
    apiKey,
    baseUrl: flags.baseUrl ?? (env.TENURE_BASE_URL || undefined) ?? stored?.base_url,
    account: flags.account ?? stored?.account,
    apiVersion: flags.serviceVersion,
  };
}
