import { readFileSync } from 'node:fs';
import * as sdk from 'tenure';
import { CliError, exitCodes } from '../errors.ts';
import { columnsFor, RecordTable, showJson, showRecord, viewOf } from '../output/show.ts';
import { safeText } from '../output/text.ts';
import { Terminal } from '../output/terminal.ts';
import { Session } from '../session.ts';
import { configPath, readConfigFile, writeConfigFile } from '../settings/config-file.ts';
import { localUrl, readSettings, type GlobalFlags } from '../settings/settings.ts';

/** Checks a key from standard input, and stores it. */
export async function runKeyLogin(flags: GlobalFlags & { apiKey: string }): Promise<void> {
  const terminal = new Terminal();
  if (flags.apiKey !== '-') {
    throw new CliError(
      'A key in a command shows in `ps` and in the history, so it was not used. Roll it, and pass the new one on standard input: tenure login --api-key - < key.txt. npm keeps commands in its logs, too.',
    );
  }
  if (terminal.canAsk) terminal.say('Paste the API key, press Enter, then Ctrl-D:');
  const apiKey = readFileSync(0, 'utf8').trim();
  if (!/^[a-z]+_(test|live)_[\x21-\x7e]+$/.test(apiKey)) {
    throw new CliError('Standard input has no API key. A key looks like sk_test_… or rk_live_….');
  }
  const config = readConfigFile(terminal.env);
  const name = flags.profile ?? (terminal.env.TENURE_PROFILE || 'default');
  const baseUrl = flags.baseUrl ?? (terminal.env.TENURE_BASE_URL || undefined);
  const session = new Session(sdk, flags, terminal, {
    profile: name,
    apiKey,
    baseUrl,
    account: flags.account,
    apiVersion: flags.serviceVersion,
    isLive: apiKey.includes('_live_'),
  });
  const account = await session.client.account.retrieve({}, session.options);
  config.profiles[name] = {
    api_key: apiKey,
    ...(baseUrl && { base_url: baseUrl }),
    ...(flags.account && { account: flags.account }),
  };
  // The first profile is the default one.
  if (!config.profiles[config.profile]) config.profile = name;
  writeConfigFile(terminal.env, config);
  terminal.say(
    `Signed in to ${safeText(account.name ?? account.id)} (${safeText(account.id)}) with ${sdk.maskKey(apiKey)}. Stored in ${configPath(terminal.env)}, profile "${name}".`,
  );
}

/** Removes a profile. A key that `tenure login` made by a code is revoked. */
export async function runLogout(flags: GlobalFlags): Promise<void> {
  const terminal = new Terminal();
  const config = readConfigFile(terminal.env);
  const name = flags.profile ?? (terminal.env.TENURE_PROFILE || config.profile);
  const profile = config.profiles[name];
  if (!profile) throw new CliError(`There is no profile "${name}".`, exitCodes.noAccess);
  delete config.profiles[name];
  config.profile = Object.keys(config.profiles)[0] ?? 'default';
  writeConfigFile(terminal.env, config);
  if (!profile.device_key) {
    return terminal.say(`Removed the profile "${name}". Its API key stays valid until you revoke it.`);
  }
  const { endDeviceKey } = await import('./device-login.ts');
  try {
    await endDeviceKey(profile);
  } catch (error) {
    const { message, exitCode } = error as CliError;
    throw new CliError(
      `Removed the profile "${name}", but its API key ${profile.device_key.id} was not revoked. ${message} Revoke the key in the dashboard.`,
      exitCode,
    );
  }
  terminal.say(`Removed the profile "${name}", and revoked its API key.`);
}

/** Shows the account and the key. */
export async function runWhoami(flags: GlobalFlags): Promise<void> {
  const session = await Session.open(flags);
  const { settings, terminal } = session;
  const account = await session.client.account.retrieve({}, session.options);
  showRecord(
    {
      account: account.id,
      name: account.name,
      api_version: account.api_version,
      mode: settings.isLive ? 'live' : 'sandbox',
      base_url: settings.baseUrl ?? localUrl,
      key: sdk.maskKey(settings.apiKey),
      profile: settings.profile,
      key_from: terminal.env.TENURE_API_KEY && flags.profile === undefined ? 'TENURE_API_KEY' : 'profile',
    },
    viewOf(flags, terminal, null),
    terminal,
  );
}

/** Lists the profiles. */
export function runProfiles(flags: GlobalFlags & { use?: string }): void {
  const terminal = new Terminal();
  const config = readConfigFile(terminal.env);
  if (flags.use !== undefined) {
    // The same error as for any command with this profile.
    readSettings({ profile: flags.use }, { ...terminal.env, TENURE_API_KEY: '' });
    config.profile = flags.use;
    writeConfigFile(terminal.env, config);
  }
  const rows = Object.entries(config.profiles).map(([name, profile]) => ({
    profile: name,
    default: name === config.profile,
    base_url: profile.base_url ?? localUrl,
    account: profile.account ?? null,
    key: sdk.maskKey(profile.api_key),
  }));
  const view = viewOf(flags, terminal, null);
  if (view.isJson) return terminal.out(showJson(rows, terminal));
  if (rows.length === 0) return terminal.say('There are none. Make one: tenure login');
  new RecordTable(columnsFor(rows, view.fields), terminal).show(rows);
}
