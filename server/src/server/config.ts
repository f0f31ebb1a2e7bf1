import { randomBytes } from 'node:crypto';
import { isCellName, modeOfKey, type Mode } from '../core/secrets/api-keys.ts';
import { errorMessage } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';
import { byProvider, providers, type Provider, type ReferencingServices } from '../core/vocabulary/providers.ts';
import { parseRanges, type AddressRanges } from '../core/addresses/address-ranges.ts';
import { formats, lineFault } from '../core/formats.ts';
import { isLoopbackUrl } from '../core/addresses/loopback.ts';
import type { SmtpSettings } from '../email/smtp.ts';
import { isPlainUrl } from '../core/addresses/target-addresses.ts';
import { connectionBounds, type ProcessKind } from '../db/pool-sizes.ts';
import { masterKeyLength } from '../core/secrets/encryption.ts';
import { operatorCommand } from '../core/installation.ts';
import type { IdentityProviderSettings } from '../sign-in/identity-provider.ts';
import { apiVersions } from '../versions/index.ts';

export interface Config {
  host: string;
  port: number;
  /** A PostgreSQL of the operator's own. Null starts the embedded one. */
  databaseUrl: string | null;
  /** The folder as it was set. Without it, the default depends on the server's system user. */
  dataDir: string | null;
  publicUrl: string;
  mode: Mode;
  /** The name of this deployment among several, which new keys carry. Null if it is the only one. */
  cell: string | null;
  /** The first account's key on an empty database. Null generates one. */
  secretKey: string | null;
  /** The most connections of this process to the database. Null opens as many as help. */
  databaseConnections: number | null;
  /** Null generates one in the data folder. */
  masterKey: Uint8Array | null;
  role: Role;
  /** The pauses between the attempts of a delivery. */
  retryScheduleSeconds: readonly number[];
  /** Non-public address ranges that webhooks may reach. */
  allowedTargets: AddressRanges;
  /** Address ranges of proxies that name the client's address in `X-Forwarded-For`. */
  trustedProxies: AddressRanges;
  /** Requests a second for one account in this process. 0 sets no limit. */
  rateLimit: number;
  /** The version that new accounts are pinned to. Null is the latest version. */
  latestVersion: string | null;
  /** Days for which events, logs, deliveries and attempts are kept. */
  retentionDays: number;
  /** The addresses of the referencing services. Null means a simulated one in a sandbox, and none in live mode. */
  providerUrls: Readonly<Record<Provider, string | null>>;
  /** The address of a sandbox's payment gateway. Null means the simulated one, and none in live mode. */
  gatewayUrl: string | null;
  /** The length of the simulated services' working day, in seconds. */
  simulatedDaySeconds: number;
  /** Lets metrics be read from outside this machine. With null, they cannot be. */
  metricsToken: string | null;
  /** A company's own identity provider, by which people sign in. Null if there is none. */
  identityProvider: IdentityProviderSettings | null;
  /** The mail server that takes e-mails, and their sender. Null sends none. */
  smtp: SmtpSettings | null;
  /** Whether the server shows the dashboard. */
  hasDashboard: boolean;
  /** Seconds between SIGTERM and the stop, in which load balancers learn that this process is going. */
  stopDelaySeconds: number;
  logLevel: string;
}

/** What a process does: `api` serves requests, `worker` delivers webhooks and runs jobs, `all` does both. */
export type Role = 'all' | 'api' | 'worker';

/** Names everything that is wrong with the settings, in one message. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Reads the settings from the environment, once. An empty value counts as unset.
 *
 * @param options.needsMasterKey false for a command that neither reads nor writes encrypted data.
 * @throws {ConfigError} with every fault, so that the operator can correct all of them at once.
 */
export function readConfig(environment: Environment, { needsMasterKey = true } = {}): Readonly<Config> {
  const faults: string[] = [];
  const known = new Set(['TENURE_ALLOWED_TARGETS']);
  const text = (name: string): string | null => {
    known.add(name);
    return environment[name]?.trim() || null;
  };

  const oneOf = <Word extends string>(name: string, words: readonly Word[], otherwise: Word): Word => {
    const value = text(name);
    if (value === null) return otherwise;
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return word;
    faults.push(`${name} is "${value}"; it must be one of ${words.join(', ')}.`);
    return otherwise;
  };

  const host = text('HOST') ?? '127.0.0.1';
  const port = readPort(text('PORT') ?? '4000', faults);
  const mode = oneOf('TENURE_MODE', ['sandbox', 'live'], 'sandbox');
  const cell = readCell(text('TENURE_CELL'), faults);
  const databaseUrl = readDatabaseUrl(text('DATABASE_URL'), faults);
  const publicUrl = readUrl('TENURE_PUBLIC_URL', text('TENURE_PUBLIC_URL'), ['http:', 'https:'], faults);
  const masterKey = readMasterKey(text('TENURE_MASTER_KEY'), needsMasterKey && databaseUrl !== null, faults);
  const secretKey = readSecretKey(text('TENURE_SECRET_KEY'), mode, faults);
  const role = oneOf<Role>('TENURE_ROLE', ['all', 'api', 'worker'], 'all');
  if (role !== 'all' && text('DATABASE_URL') === null) {
    faults.push(
      `TENURE_ROLE is "${role}", which needs DATABASE_URL: the embedded database belongs to one process, which does everything.`,
    );
  }
  const retryScheduleSeconds = readSchedule(text('TENURE_RETRY_SCHEDULE') ?? defaultRetrySchedule, faults);
  const allowedTargets = readRanges(
    'TENURE_ALLOWED_TARGETS',
    environment.TENURE_ALLOWED_TARGETS ?? defaultTargets[mode],
    faults,
  );
  const trustedProxies = readRanges('TENURE_TRUSTED_PROXIES', text('TENURE_TRUSTED_PROXIES') ?? '', faults);
  const rateLimit = readRate(text('TENURE_RATE_LIMIT') ?? defaultRate[mode], faults);
  const latestVersion = readLatestVersion(text('TENURE_LATEST_VERSION'), mode, faults);
  const retentionDays = readRetention(text('TENURE_RETENTION_DAYS') ?? defaultRetention[mode], faults);
  const providerUrls = readProviderUrls(text, faults);
  const gatewayUrl = readGatewayUrl(text, mode, faults);
  const simulatedDaySeconds = readSimulatorSpeed(text('TENURE_SIMULATOR_SPEED'), mode, faults);
  const metricsToken = readMetricsToken(text('TENURE_METRICS_TOKEN'), faults);
  const identityProvider = readIdentityProvider(text, faults);
  const smtp = readSmtp(text, mode, faults);
  const hasDashboard = oneOf('TENURE_DASHBOARD', ['on', 'off'], 'on') === 'on';
  const databaseConnections = readConnections(text('TENURE_DATABASE_CONNECTIONS'), { role, mode }, faults);
  const stopDelaySeconds = readStopDelay(text('TENURE_STOP_DELAY_SECONDS'), { role, databaseUrl }, faults);
  const logLevel = oneOf('TENURE_LOG_LEVEL', logLevels, 'info');

  const dataDir = text('DATA_DIR');
  faults.push(...misspelt(environment, known));

  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return Object.freeze({
    host,
    port,
    databaseUrl,
    databaseConnections,
    dataDir,
    publicUrl: (publicUrl ?? ownUrl({ host, port })).replace(/\/+$/, ''),
    mode,
    cell,
    secretKey,
    masterKey,
    role,
    retryScheduleSeconds,
    allowedTargets,
    trustedProxies,
    rateLimit,
    latestVersion,
    retentionDays,
    providerUrls,
    gatewayUrl,
    simulatedDaySeconds,
    metricsToken,
    identityProvider,
    smtp,
    hasDashboard,
    stopDelaySeconds,
    logLevel,
  });
}

const ownPrefix = 'TENURE_';

/** Finds names that nearly match a setting. Other names are ignored: a setting of a later release must not prevent a rollback. */
function misspelt(environment: Environment, known: ReadonlySet<string>): string[] {
  const ends = [...known].filter((name) => name.startsWith(ownPrefix)).map((name) => name.slice(ownPrefix.length));
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith(ownPrefix) || known.has(name) || !environment[name]?.trim()) return [];
    const nearest = nearestName(name.slice(ownPrefix.length), ends);
    return nearest === null ? [] : [`There is no setting ${name}. Did you mean ${ownPrefix}${nearest}?`];
  });
}

/** Returns the address where this process listens, not that of a proxy in front of it. */
export function ownUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Tells how each service is reached. A sandbox simulates those without an address. */
export function referencingServices({
  mode,
  providerUrls,
}: Pick<Config, 'mode' | 'providerUrls'>): ReferencingServices {
  const otherwise = mode === 'sandbox' ? 'simulated' : null;
  return byProvider((provider) => (providerUrls[provider] === null ? otherwise : 'real'));
}

/** Returns the services that a sandbox simulates. */
export function simulatedProviders(config: Pick<Config, 'mode' | 'providerUrls'>): Provider[] {
  const services = referencingServices(config);
  return providers.filter((provider) => services[provider] === 'simulated');
}

/** Seconds between 11 attempts in about three days. (5 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 20 h) */
const defaultRetrySchedule = '5,30,300,1800,7200,18000,36000,50400,72000,72000';

/** Receivers of a sandbox often run on the same machine. */
const defaultTargets = { sandbox: '127.0.0.0/8,::1/128', live: '' };

/** Requests a second. A sandbox has no limit, so that it can be tested under load. */
const defaultRate = { sandbox: '0', live: '100' };

/** Days. A month is enough to try things out, and thirteen months let an account look back on a year. */
const defaultRetention = { sandbox: '30', live: '395' };

/** At least two days, because a log holds its key's stored response, which lives for a day. */
const retentionDaysMin = 2;
const retentionDaysMax = 36_500;

const metricsTokenLengthMin = 16;

const retriesMax = 50;
const pauseSecondsMax = 30 * 24 * 3600;

function readSchedule(value: string, faults: string[]): readonly number[] {
  const pauses = value === 'none' ? [] : value.split(',').map((pause) => pause.trim());
  const fits = pauses.every((pause) => /^\d+(\.\d+)?$/.test(pause) && Number(pause) <= pauseSecondsMax);
  if (!fits || pauses.length > retriesMax) {
    faults.push(
      `TENURE_RETRY_SCHEDULE is "${value}"; it must be up to ${retriesMax} pauses in seconds, such as 5,30,300, or none.`,
    );
  }
  return pauses.map(Number);
}

function readRanges(name: string, value: string, faults: string[]): AddressRanges {
  try {
    return parseRanges(value);
  } catch (error) {
    faults.push(`${name}: ${errorMessage(error)}`);
    return parseRanges('');
  }
}

function readRate(value: string, faults: string[]): number {
  const rate = Number(value);
  if (/^\d{1,6}$/.test(value)) return rate;
  faults.push(`TENURE_RATE_LIMIT is "${value}"; it must be a whole number of requests a second, or 0 for no limit.`);
  return 0;
}

function readRetention(value: string, faults: string[]): number {
  const days = Number(value);
  if (/^\d{1,5}$/.test(value) && days >= retentionDaysMin && days <= retentionDaysMax) return days;
  faults.push(
    `TENURE_RETENTION_DAYS is "${value}"; it must be a whole number of days from ${retentionDaysMin} to ${retentionDaysMax}.`,
  );
  return retentionDaysMin;
}

function readProviderUrls(text: (name: string) => string | null, faults: string[]): Record<Provider, string | null> {
  return byProvider((provider) => {
    const name = `TENURE_${provider.toUpperCase()}_URL`;
    return readUrl(name, text(name), ['http:', 'https:'], faults)?.replace(/\/+$/, '') ?? null;
  });
}

function readGatewayUrl(text: (name: string) => string | null, mode: Mode, faults: string[]): string | null {
  const name = 'TENURE_PAYMENT_SIMULATOR_URL';
  const url = readUrl(name, text(name), ['http:', 'https:'], faults)?.replace(/\/+$/, '') ?? null;
  if (url !== null && mode === 'live')
    faults.push(`${name} is for a sandbox: in live mode nothing is simulated. Leave it out.`);
  return url;
}

const simulatedDayDefault = 30;
const simulatedDayMax = 86_400;

function readSimulatorSpeed(value: string | null, mode: Mode, faults: string[]): number {
  if (value === null) return simulatedDayDefault;
  const seconds = Number(value);
  if (mode === 'live') {
    faults.push('TENURE_SIMULATOR_SPEED is for a sandbox: in live mode nothing is simulated. Leave it out.');
  } else if (!/^\d+(\.\d+)?$/.test(value) || seconds < 0.1 || seconds > simulatedDayMax) {
    faults.push(
      `TENURE_SIMULATOR_SPEED is "${value}"; it must be how long a working day of the simulated services takes, in seconds from 0.1 to ${simulatedDayMax}.`,
    );
  }
  return seconds;
}

function readMetricsToken(value: string | null, faults: string[]): string | null {
  if (value === null || (value.length >= metricsTokenLengthMin && /^[\x21-\x7e]+$/.test(value))) return value;
  // Do not show the value: it is a secret, if a weak one.
  faults.push(
    `TENURE_METRICS_TOKEN must be at least ${metricsTokenLengthMin} printable ASCII characters without spaces. Make one with \`openssl rand -hex 24\`.`,
  );
  return null;
}

const identityProviderNameLengthMax = 40;

/** Reads the settings of a company's own identity provider: all of them, or none. */
function readIdentityProvider(
  text: (name: string) => string | null,
  faults: string[],
): IdentityProviderSettings | null {
  const issuer = text('TENURE_OIDC_ISSUER');
  const clientId = text('TENURE_OIDC_CLIENT_ID');
  const clientSecret = text('TENURE_OIDC_CLIENT_SECRET');
  const name = text('TENURE_OIDC_NAME');
  if ([issuer, clientId, clientSecret, name].every((value) => value === null)) return null;
  if (issuer === null || clientId === null || clientSecret === null) {
    faults.push(
      'Sign-in by an identity provider needs all of TENURE_OIDC_ISSUER, TENURE_OIDC_CLIENT_ID and TENURE_OIDC_CLIENT_SECRET. Set the missing ones, or none of them.',
    );
    return null;
  }
  const url = URL.canParse(issuer) && isPlainUrl(issuer) ? new URL(issuer) : null;
  const isSafe = url !== null && (url.protocol === 'https:' || isLoopbackUrl(url));
  if (!isSafe || /[?#@]|\/\.well-known\//.test(issuer)) {
    // Do not show the value: it may contain a password.
    faults.push(
      'TENURE_OIDC_ISSUER must be the issuer that the provider names, such as https://login.example.com. It must begin with https://, or with http:// on this machine. It has no query, and no /.well-known/ part.',
    );
    return null;
  }
  const fault = name === null ? null : lineFault(name);
  if (fault !== null || (name ?? '').length > identityProviderNameLengthMax) {
    faults.push(
      `TENURE_OIDC_NAME must be one line of at most ${identityProviderNameLengthMax} characters: the name of the provider on the button.`,
    );
  }
  return { issuer, clientId, clientSecret, name: name ?? url.hostname };
}

function readConnections(value: string | null, kind: ProcessKind, faults: string[]): number | null {
  if (value === null) return null;
  const { min, max } = connectionBounds(kind);
  const connections = Number(value);
  if (/^\d{1,3}$/.test(value) && connections >= min && connections <= max) return connections;
  faults.push(
    `TENURE_DATABASE_CONNECTIONS is "${value}"; for TENURE_ROLE=${kind.role} in ${kind.mode} mode it must be a whole number from ${min} to ${max}.`,
  );
  return null;
}

/** Seconds. Load balancers check every second or two, and take a server out after two or three failures. */
const stopDelayDefault = 5;
const stopDelayMax = 120;

/** Waits only where another process can take the requests. A worker takes none, and an embedded database has one process. */
function readStopDelay(
  value: string | null,
  { role, databaseUrl }: Pick<Config, 'role' | 'databaseUrl'>,
  faults: string[],
): number {
  if (value === null) return databaseUrl === null || role === 'worker' ? 0 : stopDelayDefault;
  const seconds = Number(value);
  if (/^\d{1,3}$/.test(value) && seconds <= stopDelayMax) return seconds;
  faults.push(
    `TENURE_STOP_DELAY_SECONDS is "${value}"; it must be a whole number of seconds from 0 to ${stopDelayMax}.`,
  );
  return 0;
}

const smtpPorts = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Reads the mail server and the sender: both, or none. The messages never show the address, because it may contain a password. */
function readSmtp(text: (name: string) => string | null, mode: Mode, faults: string[]): SmtpSettings | null {
  const address = text('TENURE_SMTP_URL');
  const from = text('TENURE_EMAIL_FROM');
  if (address === null && from === null) return null;
  if (mode === 'sandbox') {
    faults.push(
      'TENURE_SMTP_URL and TENURE_EMAIL_FROM are for live mode: a sandbox sends no e-mails, and keeps them for GET /v1/test_helpers/emails. Leave them out.',
    );
    return null;
  }
  if (address === null || from === null) {
    faults.push('E-mail needs both TENURE_SMTP_URL and TENURE_EMAIL_FROM. Set the missing one, or none of them.');
    return null;
  }
  if (formats.email(from) !== null)
    faults.push(
      'TENURE_EMAIL_FROM must be the address alone that sends e-mails, such as notices@example.org. The name of the account is added to it.',
    );
  const server = smtpServer(address);
  if (typeof server === 'object') return { ...server, from };
  faults.push(`TENURE_SMTP_URL ${server}`);
  return null;
}

/** Returns the mail server of an address, or what is wrong with the address. */
function smtpServer(address: string): Omit<SmtpSettings, 'from'> | string {
  const form =
    'must be the address of a mail server, such as smtps://user:password@mail.example.org or smtp://mail.example.org:587. Encode special characters of the password, such as %40 for @.';
  if (!URL.canParse(address)) return form;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(address);
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || hostname === '') return form;
  if (!['', '/'].includes(pathname) || hash !== '' || !['', '?tls=off'].includes(search)) return form;
  let credentials: SmtpSettings['credentials'];
  try {
    credentials =
      username === '' ? null : { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return form;
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  // On this machine, no other machine can read along, and its mail server seldom has a certificate.
  const isHere = isLoopbackUrl(new URL(`http://${hostname}`));
  const isPlain = protocol === 'smtp:' && (isHere || search !== '');
  if (search !== '' && protocol === 'smtps:') return 'begins with smtps://, which is TLS. Leave out tls=off.';
  if (search !== '' && credentials !== null && !isHere)
    return 'has a password and tls=off, so the password would be sent unencrypted. Leave one of them out.';
  const upgrade = isPlain ? 'off' : 'upgrade';
  return {
    host,
    port: port === '' ? smtpPorts[protocol] : Number(port),
    tls: protocol === 'smtps:' ? 'start' : upgrade,
    credentials,
  };
}

function readLatestVersion(value: string | null, mode: Mode, faults: string[]): string | null {
  if (value === null) return null;
  const dates = apiVersions.map(({ date }) => date);
  if (mode === 'live') {
    faults.push('TENURE_LATEST_VERSION is for trying upgrades out in a sandbox. Leave it out in live mode.');
  } else if (!dates.includes(value)) {
    faults.push(`TENURE_LATEST_VERSION is "${value}"; it must be one of ${dates.join(', ')}.`);
  }
  return value;
}

function readPort(value: string, faults: string[]): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  faults.push(`PORT is "${value}"; it must be a number from 0 to 65535.`);
  return 0;
}

function readUrl(name: string, value: string | null, protocols: string[], faults: string[]): string | null {
  if (value === null) return null;
  // Only the driver can parse an address of PostgreSQL, which may omit the host.
  const wellFormed = protocols.includes('https:') ? URL.canParse(value) && isPlainUrl(value) : true;
  if (wellFormed && protocols.some((protocol) => value.startsWith(`${protocol}//`))) return value;
  // Do not show the value: it may contain a password.
  faults.push(
    `${name} is no valid address; it must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}${protocols.includes('https:') ? ', and have no spaces, line breaks or backslashes' : ''}.`,
  );
  return null;
}

/** Modes of the driver for TLS to PostgreSQL. It takes every other word for `verify-full`. */
const sslModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

function readDatabaseUrl(value: string | null, faults: string[]): string | null {
  const url = readUrl('DATABASE_URL', value, ['postgres:', 'postgresql:'], faults);
  if (url === null) return null;
  // After the host, an `@` or a `#` can only be of a password with a `/`, `?` or `#`. The driver would look up a part of it as a host.
  if (/^[a-z]+:\/\/[^/?#]*(#|\/[^?]*[@#]|\?[^&]*@[^&]*\/)/.test(url)) {
    faults.push(
      'DATABASE_URL is no valid address: encode the special characters of its password, such as %40 for @, %2F for /, %3F for ? and %23 for #.',
    );
    return null;
  }
  const sslMode = /[?&]sslmode=([^&#]+)/.exec(url)?.[1];
  if (sslMode !== undefined && !sslModes.includes(sslMode)) {
    faults.push(`The sslmode of DATABASE_URL is "${sslMode}"; it must be one of ${sslModes.join(', ')}.`);
  }
  return url;
}

function readMasterKey(value: string | null, isRequired: boolean, faults: string[]): Uint8Array | null {
  if (value === null) {
    if (isRequired) {
      faults.push(
        `TENURE_MASTER_KEY is required with DATABASE_URL: the one of this database. For a new database, make one with \`openssl rand -base64 32\`, and keep it as safe as the data.`,
      );
    }
    return null;
  }
  const key = Buffer.from(value, 'base64');
  if (key.length === masterKeyLength && key.toString('base64').replace(/=+$/, '') === value.replace(/=+$/, ''))
    return key;
  faults.push(
    `TENURE_MASTER_KEY must be ${masterKeyLength} random bytes in base64. Make them with \`openssl rand -base64 32\`.`,
  );
  return null;
}

function readCell(value: string | null, faults: string[]): string | null {
  if (value === null || isCellName(value)) return value;
  faults.push(
    `TENURE_CELL is "${value}"; it must be 2 to 12 small letters and digits, and begin with a letter, such as eu1.`,
  );
  return null;
}

function readSecretKey(value: string | null, mode: Mode, faults: string[]): string | null {
  if (value === null || modeOfKey(value) === mode) return value;
  faults.push(
    `TENURE_SECRET_KEY is no valid key for ${mode} mode; its end is a checksum, so it must be generated. Leave it out, and run \`${operatorCommand('new-key')}\` once the server runs.`,
  );
  return null;
}

/** Returns 32 random bytes in base64. */
export function newMasterKey(): string {
  return randomBytes(masterKeyLength).toString('base64');
}
