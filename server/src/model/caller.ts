import type { KeyType, Mode } from '../core/api-keys.ts';
import type { Id, IdPrefix } from '../core/ids.ts';
import type { Provider, ReferencingServices } from '../core/providers.ts';
import type { AddressRanges } from '../core/target-addresses.ts';

/** What a decision knows of the request behind it, and the only way in which it makes ids and secrets. */
export interface Caller {
  mode: Mode;
  /** The time of the request, in seconds. */
  nowSeconds: number;
  /** The account acted upon. */
  account: { api_version: string; default_provider: Provider | null };
  /** Whether that is the account of the principal itself, and not one that is connected to it. */
  isOwnAccount: boolean;
  permissions: ReadonlySet<string>;
  referencingServices: ReferencingServices;
  /** Every permission that a key can be given. */
  knownPermissions: readonly string[];
  /** Every type that an event can have: `<resource>.<verb>`. */
  knownEventTypes: readonly string[];
  /** When the acting key ends, in seconds; null if it does not. */
  keyExpiresAt: number | null;
  /** The versions of the API that are served, the newest first. */
  apiVersions: readonly string[];
  allowedTargets: AddressRanges;
  /** History from before this time, in seconds, may be gone. */
  retainedFromSeconds: number;
  makeId<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
  /** Encrypts a text with the deployment's master key. */
  seal(text: string): Buffer;
  /** Makes a secret, such as `whsec_…`, and encrypts it. */
  makeSecret(prefix: string): Buffer;
  /** Makes an API key of this deployment's mode. */
  makeKey(type: KeyType): { sealed: Buffer; hash: string; lastFour: string };
}
