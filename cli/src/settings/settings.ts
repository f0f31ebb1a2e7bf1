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
  const { apiKey, keyIsFor, ...settings } = readKeylessSettings(flags, env);
  if (apiKey === undefined) {
    if (keyIsFor !== null) {
      throw new CliError(
        `The API key of the profile "${settings.profile}" is for ${keyIsFor}, so it was not sent to ${settings.baseUrl}. Set TENURE_API_KEY, or make a profile for this address: tenure login --base-url ${settings.baseUrl} --profile <name>`,
        exitCodes.noAccess,
      );
    }
    throw new CliError('There is no API key. Run `tenure login`, or set TENURE_API_KEY.', exitCodes.noAccess);
  }
  return { ...settings, apiKey, isLive: apiKey.includes('_live_') };
}

/**
 * Finds the settings of a command that may do without a key. A profile's key is for the profile's server. For another one there is no
 * key, and `keyIsFor` names the profile's server.
 *
 * @throws {CliError} if there is no such profile.
 */
export function readKeylessSettings(
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): Omit<Settings, 'apiKey' | 'isLive'> & { apiKey: string | undefined; keyIsFor: string | null } {
  const config = readConfigFile(env);
  const named = flags.profile ?? (env.TENURE_PROFILE || undefined);
  const profile = named ?? config.profile;
  const stored = config.profiles[profile];
  const envKey = env.TENURE_API_KEY || undefined;
  if (named !== undefined && !stored && envKey === undefined) {
    const names = Object.keys(config.profiles);
    throw new CliError(
      `There is no profile "${profile}".${names.length > 0 ? adviceOn(profile, names) : ' Make it: tenure login --profile ' + profile}`,
      exitCodes.usage,
    );
  }
  const baseUrl = flags.baseUrl ?? (env.TENURE_BASE_URL || undefined) ?? stored?.base_url;
  const settings = { profile, baseUrl, account: flags.account ?? stored?.account, apiVersion: flags.serviceVersion };
  // A profile that a flag names brings its own key.
  if (envKey !== undefined && (flags.profile === undefined || !stored)) {
    return { ...settings, apiKey: envKey, keyIsFor: null };
  }
  const keyIsFor = stored && !isSameServer(baseUrl, stored.base_url) ? (stored.base_url ?? localUrl) : null;
  return { ...settings, apiKey: keyIsFor === null ? stored?.api_key : undefined, keyIsFor };
}

function isSameServer(one = localUrl, other = localUrl): boolean {
  return one === other || (URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin);
}
