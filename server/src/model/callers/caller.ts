import type { TSchema } from 'typebox';
import type { KeyType, Mode } from '../../core/secrets/api-keys.ts';
import type { Id, IdPrefix } from '../../core/ids.ts';
import type { Gateway } from '../../core/vocabulary/gateways.ts';
import type { Provider, ReferencingServices } from '../../core/vocabulary/providers.ts';
import type { AddressRanges } from '../../core/addresses/address-ranges.ts';
import type { Day } from '../../core/calendar.ts';
import type { Rules } from '../../core/vocabulary/law-rules.ts';
import type { Role } from './roles.ts';
import type { StepOperation } from '../step-operation.ts';

/** The path of a page that persons open by a link with a token. */
export type LinkPage = 'dashboard/link' | 'links' | 'portal';

/** The request behind a decision. A decision makes ids and secrets only through it. */
export interface Caller {
  mode: Mode;
  /** The time of the request, in seconds. */
  nowSeconds: number;
  /** The time of the world, in seconds. The sandbox's clock does not move it. */
  realSeconds: number;
  /** The account acted upon. */
  account: {
    name: string;
    api_version: string;
    default_provider: Provider | null;
    /** The referencing services for which it has set credentials. */
    providers_with_credentials: readonly string[];
    time_zone: string;
    rules: Rules;
    invoice_prefix: string;
    payment_provider: Gateway | null;
  };
  /** The day of the request in the account's time zone. */
  today: Day;
  /** Tells whether that is the principal's own account, and not a connected one. */
  isOwnAccount: boolean;
  /** The id of the API key, the user or the portal session. */
  actorId: string;
  /** The account of that API key, user or session. */
  actorAccountId: string;
  /** The name of the API key or the e-mail address of the user. Null if it has none. */
  actorName: string | null;
  /** Whether a program acts that decides by itself: an agent's key, or a run of a workflow. */
  isAgent: boolean;
  /** Whether such a program acts, and no person has approved it. */
  isAutomated: boolean;
  permissions: ReadonlySet<string>;
  referencingServices: ReferencingServices;
  /** Every permission that a key can have. */
  knownPermissions: readonly string[];
  /** Every type that an event can have: `<resource>.<verb>`. */
  knownEventTypes: readonly string[];
  /** Returns the permission that is lacking to see events of a type, such as `user.*`. Null if `events.read` shows them. */
  lackingForEvents(type: string): string | null;
  /** The person that acts in a browser. Null for a key. */
  person: { id: string; role: Role } | null;
  /** When the acting key expires, in seconds. Null if it does not. */
  keyExpiresAt: number | null;
  /** The operations that a workflow may send. */
  stepOperations: readonly StepOperation[];
  /** Returns the schema of a kind of record as events of the newest version have it. Null for an unknown kind. */
  recordSchemaOf(object: string): TSchema | null;
  /** The API versions that are served, the newest first. */
  apiVersions: readonly string[];
  allowedTargets: AddressRanges;
  /** The status of an e-mail that the decision returns in `emails`. Null if this deployment sends none. */
  firstEmailStatus: 'queued' | 'kept' | null;
  /** Earlier history may have been removed. In seconds. */
  retainedFromSeconds: number;
  makeId<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
  /** Encrypts a text with the deployment's master key. */
  encrypt(text: string): Buffer;
  /** Makes a secret, such as `whsec_…`, and encrypts it. */
  makeSecret(prefix: string): Buffer;
  /** Makes a link to a page of this server. `url` is encrypted, and `hash` is that of its token. */
  makeLink(page: LinkPage): { url: Buffer; hash: string };
  /**
   * Requires that a person has confirmed its identity of late. A key needs no confirmation.
   *
   * @throws {ApiError} `reauthentication_required`.
   */
  requireConfirmation(): void;
  /** Makes an API key of this deployment's mode. */
  makeKey(type: KeyType): { encrypted: Buffer; hash: string; lastFour: string };
}
