import type { KeyType, Mode } from '../core/api-keys.ts';
import type { Id, IdPrefix } from '../core/ids.ts';
import type { Provider, ReferencingServices } from '../core/providers.ts';
import type { AddressRanges } from '../core/target-addresses.ts';

/** The request behind a decision. A decision makes ids and secrets only through it. */
export interface Caller {
  mode: Mode;
  /** The time of the request, in seconds. */
  nowSeconds: number;
  /** The account acted upon. */
  account: { api_version: string; default_provider: Provider | null };
  /** Tells whether that is the principal's own account, and not a connected one. */
  isOwnAccount: boolean;
  permissions: ReadonlySet<string>;
  referencingServices: ReferencingServices;
  /** Every permission that a key can have. */
  knownPermissions: readonly string[];
  /** Every type that an event can have: `<resource>.<verb>`. */
  knownEventTypes: readonly string[];
  /** When the acting key expires, in seconds. Null if it does not. */
  keyExpiresAt: number | null;
  /** The API versions that are served, the newest first. */
  apiVersions: readonly string[];
  allowedTargets: AddressRanges;
  /** Earlier history may have been removed. In seconds. */
  retainedFromSeconds: number;
  makeId<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
  /** Encrypts a text with the deployment's master key. */
  encrypt(text: string): Buffer;
  /** Makes a secret, such as `whsec_…`, and encrypts it. */
  makeSecret(prefix: string): Buffer;
  /** Makes an API key of this deployment's mode. */
  makeKey(type: KeyType): { encrypted: Buffer; hash: string; lastFour: string };
}
