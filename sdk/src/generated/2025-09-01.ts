// `npm run sdk` generates this file from `openapi/`. Do not edit it.

import type { EventStream } from '../event-stream.ts';
import type { ListPromise } from '../lists.ts';
import type { RequestOptions, TenurePromise } from '../transport.ts';
import type {
  Account,
  AccountCreatedEvent,
  AccountCredentialsChangedEvent,
  AccountResource,
  AccountUpdatedEvent,
  AccountsCreateParams,
  AccountsListParams,
  AccountsRetrieveParams,
  ActivityResource,
  ApiKey,
  ApiKeyCreatedEvent,
  ApiKeyRevokedEvent,
  ApiKeyRolledEvent,
  ApiKeyUpdatedEvent,
  ApiKeyWithSecret,
  ApiKeysCreateParams,
  ApiKeysListParams,
  ApiKeysRollParams,
  ApiVersion,
  Application,
  ApplicationCreatedEvent,
  ApplicationDeletedEvent,
  ApplicationUpdatedEvent,
  ApplicationsCreateParams,
  ApplicationsListParams,
  ApplicationsRetrieveParams,
  ApplicationsUpdateParams,
  AutomaticReference,
  AutomaticReferenceInput,
  Customer,
  CustomerCreatedEvent,
  CustomerDeletedEvent,
  CustomerUpdatedEvent,
  CustomersCreateParams,
  CustomersListParams,
  CustomersUpdateParams,
  DeletedApplication,
  DeletedCustomer,
  DeletedFile,
  DeletedUser,
  DeletedWebhookEndpoint,
  Delivery,
  EventsListDeliveriesParams,
  EventsListParams,
  EventsResendParams,
  EventsStreamParams,
  File,
  FileCreatedEvent,
  FileDeletedEvent,
  FileUpdatedEvent,
  FilesCreateParams,
  FilesListParams,
  FilesUpdateParams,
  Invitation,
  InvitationAcceptedEvent,
  InvitationCreatedEvent,
  InvitationRevokedEvent,
  InvitationUpdatedEvent,
  InvitationWithSecret,
  InvitationsCreateParams,
  InvitationsListParams,
  InvitationsRetrieveParams,
  Log,
  LogsListParams,
  Metadata,
  Outcome,
  Recovery,
  RecoveryCanceledEvent,
  RecoveryCompletedEvent,
  RecoveryCreatedEvent,
  RecoveryUpdatedEvent,
  ReferenceStatus,
  ReferenceType,
  RulesetsResource,
  TestHelpersClockResource,
  User,
  UserCreatedEvent,
  UserDeletedEvent,
  UserUpdatedEvent,
  UsersListParams,
  UsersUpdateParams,
  WebhookEndpoint,
  WebhookEndpointCreatedEvent,
  WebhookEndpointDeletedEvent,
  WebhookEndpointDisabledEvent,
  WebhookEndpointPingedEvent,
  WebhookEndpointSecretRolledEvent,
  WebhookEndpointUpdatedEvent,
  WebhookEndpointWithSecret,
  WebhookEndpointsCreateParams,
  WebhookEndpointsListDeliveriesParams,
  WebhookEndpointsListParams,
  WebhookEndpointsListRecoveriesParams,
  WebhookEndpointsRecoverParams,
  WebhookEndpointsUpdateParams,
} from './2026-03-01.ts';
export type {
  Account,
  AccountApiVersionParams,
  AccountApiVersionPreviewParams,
  AccountApiVersionRollbackParams,
  AccountCreatedEvent,
  AccountCredentialsChangedEvent,
  AccountResource,
  AccountRetrieveParams,
  AccountRules,
  AccountRulesInput,
  AccountUpdateParams,
  AccountUpdatedEvent,
  AccountsCreateParams,
  AccountsListParams,
  AccountsRetrieveParams,
  Activity,
  ActivityInterval,
  ActivityPoint,
  ActivityResource,
  ActivityRetrieveParams,
  Address,
  AddressInput,
  Affordability,
  ApiKey,
  ApiKeyCreatedEvent,
  ApiKeyRevokedEvent,
  ApiKeyRolledEvent,
  ApiKeyStatus,
  ApiKeyType,
  ApiKeyUpdatedEvent,
  ApiKeyWithSecret,
  ApiKeysCreateParams,
  ApiKeysListParams,
  ApiKeysRollParams,
  ApiVersion,
  ApiVersionPreview,
  Application,
  ApplicationCreatedEvent,
  ApplicationDeletedEvent,
  ApplicationReferences,
  ApplicationUpdatedEvent,
  ApplicationsCreateParams,
  ApplicationsListParams,
  ApplicationsRetrieveParams,
  ApplicationsUpdateParams,
  AutomaticReference,
  AutomaticReferenceInput,
  CheckSeverity,
  Clock,
  Customer,
  CustomerCreatedEvent,
  CustomerDeletedEvent,
  CustomerUpdatedEvent,
  CustomersCreateParams,
  CustomersListParams,
  CustomersUpdateParams,
  DeletedApplication,
  DeletedCustomer,
  DeletedFile,
  DeletedUser,
  DeletedWebhookEndpoint,
  Delivery,
  DeliveryAttempt,
  DeliveryStatus,
  Difference,
  Error,
  ErrorCode,
  ErrorType,
  EventType,
  EventsListDeliveriesParams,
  EventsListParams,
  EventsResendParams,
  EventsStreamParams,
  Fault,
  File,
  FileCreatedEvent,
  FileDeletedEvent,
  FilePurpose,
  FileUpdatedEvent,
  FilesCreateParams,
  FilesListParams,
  FilesUpdateParams,
  Interval,
  Invitation,
  InvitationAcceptedEvent,
  InvitationCreatedEvent,
  InvitationRevokedEvent,
  InvitationStatus,
  InvitationUpdatedEvent,
  InvitationWithSecret,
  InvitationsCreateParams,
  InvitationsListParams,
  InvitationsRetrieveParams,
  Latency,
  LinkedRecords,
  Log,
  LoggedError,
  LogsListParams,
  Metadata,
  OtherEvent,
  Outcome,
  PreviewedError,
  Provider,
  ProviderAData,
  ProviderCredentialsInput,
  ProviderData,
  ProviderNote,
  Recovery,
  RecoveryCanceledEvent,
  RecoveryCompletedEvent,
  RecoveryCreatedEvent,
  RecoveryStatus,
  RecoveryUpdatedEvent,
  ReferenceStatus,
  ReferenceType,
  Rent,
  RentInput,
  RequestSource,
  Ruleset,
  RulesetCheck,
  RulesetId,
  RulesetsResource,
  RulesetsRetrieveParams,
  SecondFactor,
  TestHelpersClockAdvanceParams,
  TestHelpersClockResource,
  User,
  UserCreatedEvent,
  UserDeletedEvent,
  UserRole,
  UserStatus,
  UserUpdatedEvent,
  UsersListParams,
  UsersUpdateParams,
  WebhookEndpoint,
  WebhookEndpointCreatedEvent,
  WebhookEndpointDeletedEvent,
  WebhookEndpointDisabledEvent,
  WebhookEndpointPingedEvent,
  WebhookEndpointSecretRolledEvent,
  WebhookEndpointStatus,
  WebhookEndpointUpdatedEvent,
  WebhookEndpointWithSecret,
  WebhookEndpointsCreateParams,
  WebhookEndpointsListDeliveriesParams,
  WebhookEndpointsListParams,
  WebhookEndpointsListRecoveriesParams,
  WebhookEndpointsRecoverParams,
  WebhookEndpointsUpdateParams,
} from './2026-03-01.ts';

export interface AccountList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Account>;
}

export interface ApiKeyList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<ApiKey>;
}

export interface ApiVersionList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<ApiVersion>;
}

export interface ApplicationList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Application>;
}

export interface CustomerList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Customer>;
}

export interface DeliveryList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Delivery>;
}

/**
 * A change of a record, with the record as it was then. Every change makes its events in the same
 * transaction. Events are stored for the deployment’s retention time, and delivered to webhook
 * endpoints.
 */
export type Event = KnownEvent;

export interface EventList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Event>;
}

export interface FileList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<File>;
}

export interface InvitationList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Invitation>;
}

/** An event of a type that this release has. `type` tells the kind of the record in its data. */
export type KnownEvent =
  | ReferenceCreatedEvent
  | ReferenceUpdatedEvent
  | ReferenceDeletedEvent
  | ReferenceCompletedEvent
  | ReferenceCanceledEvent
  | ApplicationCreatedEvent
  | ApplicationUpdatedEvent
  | ApplicationDeletedEvent
  | CustomerCreatedEvent
  | CustomerUpdatedEvent
  | CustomerDeletedEvent
  | FileCreatedEvent
  | FileUpdatedEvent
  | FileDeletedEvent
  | WebhookEndpointCreatedEvent
  | WebhookEndpointUpdatedEvent
  | WebhookEndpointDeletedEvent
  | WebhookEndpointSecretRolledEvent
  | WebhookEndpointDisabledEvent
  | WebhookEndpointPingedEvent
  | RecoveryCreatedEvent
  | RecoveryUpdatedEvent
  | RecoveryCompletedEvent
  | RecoveryCanceledEvent
  | AccountCreatedEvent
  | AccountUpdatedEvent
  | AccountCredentialsChangedEvent
  | ApiKeyCreatedEvent
  | ApiKeyUpdatedEvent
  | ApiKeyRolledEvent
  | ApiKeyRevokedEvent
  | UserCreatedEvent
  | UserUpdatedEvent
  | UserDeletedEvent
  | InvitationCreatedEvent
  | InvitationUpdatedEvent
  | InvitationAcceptedEvent
  | InvitationRevokedEvent;

export interface LogList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Log>;
}

export interface RecoveryList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Recovery>;
}

/**
 * A check of a person as a tenant. It belongs to an application. It is `pending` until work begins,
 * and ends with an `outcome` (`complete`) or without one (`canceled`).
 */
export interface Reference {
  /** The id of the reference. */
  id: string;
  /** The kind of the object. */
  object: 'reference';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of its application: of this API, or of your own system. */
  application: string | null | Application;
  /** The check by a referencing provider. Null if it is off-platform: then you make the check. */
  automatic_reference: AutomaticReference | null;
  /**
   * When it became `complete`, in seconds since the Unix epoch. Null before. A corrected `outcome` does
   * not change it.
   */
  completed_at: number | null;
  /** The id of its person: a customer of this API, or of your own system. Null if you sent none. */
  customer: string | null | Customer | DeletedCustomer;
  /** The verdict, from good to bad: `accept`, `consider`, `high_risk`. Null until there is one. */
  outcome: Outcome | (string & {}) | null;
  /** The id of the file with the report. Null if there is none. The id stays when the file is deleted. */
  pdf: string | null | File;
  /**
   * `pending`: work has not begun. `processing`: the check is in progress. `complete`: it has an
   * `outcome`. `canceled`: it ended without one.
   */
  status: ReferenceStatus | (string & {});
  /** The kind of its person: always a customer. */
  type: ReferenceType | (string & {});
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
  /** True if its person was erased. Left out otherwise. */
  deleted?: true;
}

export interface ReferenceCanceledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'reference.canceled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Reference;
    /**
     * For `*.updated`: the earlier values of changed members. Nested objects have their changed members,
     * arrays are whole, and null means that the member did not exist. Null for every other type.
     */
    previous_attributes: Record<string, unknown> | null;
  };
  /** The id of the request that caused it, and of its log. Null if the system caused it. */
  request: string | null;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The version of its shape, which is that of the response. Left out in deliveries: their header
   * `Service-Version` has it.
   */
  api_version?: string;
}

export interface ReferenceCompletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'reference.completed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Reference;
    /**
     * For `*.updated`: the earlier values of changed members. Nested objects have their changed members,
     * arrays are whole, and null means that the member did not exist. Null for every other type.
     */
    previous_attributes: Record<string, unknown> | null;
  };
  /** The id of the request that caused it, and of its log. Null if the system caused it. */
  request: string | null;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The version of its shape, which is that of the response. Left out in deliveries: their header
   * `Service-Version` has it.
   */
  api_version?: string;
}

export interface ReferenceCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'reference.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Reference;
    /**
     * For `*.updated`: the earlier values of changed members. Nested objects have their changed members,
     * arrays are whole, and null means that the member did not exist. Null for every other type.
     */
    previous_attributes: Record<string, unknown> | null;
  };
  /** The id of the request that caused it, and of its log. Null if the system caused it. */
  request: string | null;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The version of its shape, which is that of the response. Left out in deliveries: their header
   * `Service-Version` has it.
   */
  api_version?: string;
}

export interface ReferenceDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'reference.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Reference;
    /**
     * For `*.updated`: the earlier values of changed members. Nested objects have their changed members,
     * arrays are whole, and null means that the member did not exist. Null for every other type.
     */
    previous_attributes: Record<string, unknown> | null;
  };
  /** The id of the request that caused it, and of its log. Null if the system caused it. */
  request: string | null;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The version of its shape, which is that of the response. Left out in deliveries: their header
   * `Service-Version` has it.
   */
  api_version?: string;
}

export interface ReferenceList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Reference>;
}

export interface ReferenceUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'reference.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Reference;
    /**
     * For `*.updated`: the earlier values of changed members. Nested objects have their changed members,
     * arrays are whole, and null means that the member did not exist. Null for every other type.
     */
    previous_attributes: Record<string, unknown> | null;
  };
  /** The id of the request that caused it, and of its log. Null if the system caused it. */
  request: string | null;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The version of its shape, which is that of the response. Left out in deliveries: their header
   * `Service-Version` has it.
   */
  api_version?: string;
}

export interface UserList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<User>;
}

export interface WebhookEndpointList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<WebhookEndpoint>;
}

export interface ReferencesListParams {
  /** Only records with this `application`. */
  application?: string | undefined;
  /** Only records with this `customer`. */
  customer?: string | undefined;
  /** Only records with this `status`. */
  status?: ReferenceStatus | undefined;
  /** Only records with this `outcome`. */
  outcome?: Outcome | undefined;
  /** Only records with this `type`. */
  type?: ReferenceType | undefined;
  /** Bounds of `created`. */
  created?:
    | {
        /** Only records created after this time, in seconds since the Unix epoch. */
        gt?: number | undefined;
        /** Only records created at or after this time, in seconds since the Unix epoch. */
        gte?: number | undefined;
        /** Only records created before this time, in seconds since the Unix epoch. */
        lt?: number | undefined;
        /** Only records created at or before this time, in seconds since the Unix epoch. */
        lte?: number | undefined;
      }
    | undefined;
  /** The number of records on a page. The default is 20. */
  limit?: number | undefined;
  /** The number of records to skip. You cannot combine it with a cursor. */
  offset?: number | undefined;
  /** The page after the record with this id. Send the last id of the previous page. */
  starting_after?: string | undefined;
  /** The page before the record with this id. Send the first id of the following page. */
  ending_before?: string | undefined;
  /**
   * Linked records to return instead of their ids: `data.application`, `data.customer`, `data.pdf`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesCreateParams {
  /** The id of its application: of this API, or of your own system. */
  application: string;
  /** The id of its person: a customer of this API, or of your own system. Null if you sent none. */
  customer?: string | null | undefined;
  /** The kind of its person: always a customer. */
  type?: ReferenceType | null | undefined;
  /** The check by a referencing provider. Null if it is off-platform: then you make the check. */
  automatic_reference?: AutomaticReferenceInput | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesRetrieveParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesUpdateParams {
  /** The verdict, from good to bad. You can correct it, but not remove it. */
  outcome?: Outcome | undefined;
  /** The id of the file with the report. You can replace it, but not remove it. */
  pdf?: string | undefined;
  /** Send `processing` when you begin. Only for off-platform references. */
  status?: 'processing' | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesEraseParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesCancelParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesAdvanceParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesCompleteParams {
  /** The outcome. The default is the planned one. */
  outcome?: Outcome | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesFailParams {
  /** The code of the error. The default is `provider_error`. */
  code?: string | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesNoteParams {
  /** The text of the note. */
  message: string;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesResource {
  /** Returns the account’s references, the newest first. */
  list(params?: ReferencesListParams, options?: RequestOptions): ListPromise<Reference, ReferenceList>;
  /**
   * Creates a `pending` reference. With `automatic_reference`, a provider makes the check. Without it,
   * you make the check and update the reference.
   */
  create(params: ReferencesCreateParams, options?: RequestOptions): TenurePromise<Reference>;
  /** Returns the reference as it is now. */
  retrieve(id: string, params?: ReferencesRetrieveParams, options?: RequestOptions): TenurePromise<Reference>;
  /**
   * Sets the members that you send. All others stay as they are. An `outcome` ends a pending or
   * processing reference: it becomes `complete`. On a complete reference, it corrects the verdict.
   */
  update(id: string, params: ReferencesUpdateParams, options?: RequestOptions): TenurePromise<Reference>;
  /**
   * Erases the personal data of the reference for good, if your own system stores the person. It erases
   * the `metadata`, the provider’s findings and the files of the report.
   */
  erase(id: string, params?: ReferencesEraseParams, options?: RequestOptions): TenurePromise<Reference>;
  /**
   * Ends a pending or processing reference without an outcome. Later reports of a provider do not change
   * it.
   */
  cancel(id: string, params?: ReferencesCancelParams, options?: RequestOptions): TenurePromise<Reference>;
}

export interface ApplicationsResource {
  /** Returns the account’s applications, the newest first. */
  list(params?: ApplicationsListParams, options?: RequestOptions): ListPromise<Application, ApplicationList>;
  /** Creates an application. */
  create(params?: ApplicationsCreateParams, options?: RequestOptions): TenurePromise<Application>;
  /** Returns the application as it is now. */
  retrieve(id: string, params?: ApplicationsRetrieveParams, options?: RequestOptions): TenurePromise<Application>;
  /** Sets the members that you send. All others stay as they are. */
  update(id: string, params: ApplicationsUpdateParams, options?: RequestOptions): TenurePromise<Application>;
  /** Deletes the application. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedApplication>;
}

export interface CustomersResource {
  /** Returns the account’s customers, the newest first. */
  list(params?: CustomersListParams, options?: RequestOptions): ListPromise<Customer, CustomerList>;
  /** Creates a customer. */
  create(params: CustomersCreateParams, options?: RequestOptions): TenurePromise<Customer>;
  /** Returns the customer as it is now. */
  retrieve(
    id: string,
    params?: Record<string, never>,
    options?: RequestOptions,
  ): TenurePromise<Customer | DeletedCustomer>;
  /** Sets the members that you send. All others stay as they are. */
  update(id: string, params: CustomersUpdateParams, options?: RequestOptions): TenurePromise<Customer>;
  /**
   * Erases the person’s data everywhere: in the customer, events, logs, stored responses for an
   * `Idempotency-Key`, and references with the files of their reports. Only the id of the customer is
   * left.
   */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedCustomer>;
}

export interface FilesResource {
  /** Returns the account’s files, the newest first. */
  list(params?: FilesListParams, options?: RequestOptions): ListPromise<File, FileList>;
  /**
   * Send a form (`multipart/form-data`) with `purpose`, `file`, and `metadata[key]` for each pair. The
   * file must be a PDF. Its name and type do not matter: it must begin with `%PDF-` and its version, and
   * have `%%EOF` in its last kilobyte.
   */
  create(params: FilesCreateParams, options?: RequestOptions): TenurePromise<File>;
  /** Returns the file as it is now. */
  retrieve(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<File>;
  /** Sets the members that you send. All others stay as they are. */
  update(id: string, params: FilesUpdateParams, options?: RequestOptions): TenurePromise<File>;
  /** Deletes the file. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedFile>;
  /**
   * Returns the bytes of the file as a download. It needs a permission of its own, because its contents
   * are more sensitive than its record.
   */
  contents(id: string, options?: RequestOptions): TenurePromise<Response>;
}

export interface EventsResource {
  /** Returns the account’s events, the newest first. */
  list(params?: EventsListParams, options?: RequestOptions): ListPromise<Event, EventList>;
  /**
   * Sends the account’s events as soon as they are committed, as server-sent events. `id` is the id of
   * the event, and `data` is what the list shows of it. Nothing is lost or repeated.
   */
  stream(params?: EventsStreamParams, options?: RequestOptions): EventStream<Event>;
  /** Returns the event as it is now. */
  retrieve(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<Event>;
  /** Returns the deliveries of this event, the newest first. */
  listDeliveries(
    id: string,
    params?: EventsListDeliveriesParams,
    options?: RequestOptions,
  ): ListPromise<Delivery, DeliveryList>;
  /**
   * Sends the event to this webhook endpoint again. It does not matter whether the endpoint has
   * subscribed to it, or whether an earlier delivery succeeded. The response is a new delivery, which is
   * tried once.
   */
  resend(id: string, params: EventsResendParams, options?: RequestOptions): TenurePromise<Delivery>;
}

export interface LogsResource {
  /** Returns the account’s logs, the newest first. */
  list(params?: LogsListParams, options?: RequestOptions): ListPromise<Log, LogList>;
  /** Returns the log as it is now. */
  retrieve(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<Log>;
}

export interface WebhookEndpointsResource {
  /** Returns the account’s webhook endpoints, the newest first. */
  list(
    params?: WebhookEndpointsListParams,
    options?: RequestOptions,
  ): ListPromise<WebhookEndpoint, WebhookEndpointList>;
  /**
   * Creates an endpoint. By default it is enabled, receives all events, and has the account’s version.
   * The response has its `signing_secret`. Your key also needs `events.read`.
   */
  create(params: WebhookEndpointsCreateParams, options?: RequestOptions): TenurePromise<WebhookEndpointWithSecret>;
  /** Returns the webhook endpoint as it is now. */
  retrieve(
    id: string,
    params?: Record<string, never>,
    options?: RequestOptions,
  ): TenurePromise<WebhookEndpoint | WebhookEndpointWithSecret>;
  /**
   * Sets the members that you send. All others stay as they are. To change `url` or `enabled_events`,
   * your key also needs `events.read`. The response takes a quarter of a second, so that the change
   * applies to every later delivery.
   */
  update(id: string, params: WebhookEndpointsUpdateParams, options?: RequestOptions): TenurePromise<WebhookEndpoint>;
  /** Deletes the webhook endpoint. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedWebhookEndpoint>;
  /**
   * Replaces the `signing_secret` of the endpoint, and returns the new one. The old secret is invalid at
   * once: no delivery with a `t` after the response is signed with it.
   */
  rollSecret(
    id: string,
    params?: Record<string, never>,
    options?: RequestOptions,
  ): TenurePromise<WebhookEndpointWithSecret>;
  /**
   * Sends an event of the type `webhook_endpoint.pinged` to this endpoint only, even if it has not
   * subscribed to it. The response is the delivery. You find its attempts in the endpoint’s deliveries.
   */
  ping(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<Delivery>;
  /**
   * Sends every event again that this endpoint should have received since then, but has not. These are
   * events whose delivery failed or was canceled, and events from times in which the endpoint was
   * disabled.
   */
  recover(id: string, params: WebhookEndpointsRecoverParams, options?: RequestOptions): TenurePromise<Recovery>;
  /** Returns the deliveries of this webhook endpoint, the newest first. */
  listDeliveries(
    id: string,
    params?: WebhookEndpointsListDeliveriesParams,
    options?: RequestOptions,
  ): ListPromise<Delivery, DeliveryList>;
  /** Returns the recoveries of this webhook endpoint, the newest first. */
  listRecoveries(
    id: string,
    params?: WebhookEndpointsListRecoveriesParams,
    options?: RequestOptions,
  ): ListPromise<Recovery, RecoveryList>;
}

export interface AccountsResource {
  /** Returns the account’s accounts, the newest first. */
  list(params?: AccountsListParams, options?: RequestOptions): ListPromise<Account, AccountList>;
  /**
   * Creates an account that is connected to your own. It has no keys: act for it with `Service-Context`.
   * You cannot create an account while that header names a connected one, because your key could not act
   * on the new account.
   */
  create(params: AccountsCreateParams, options?: RequestOptions): TenurePromise<Account>;
  /** Returns the account as it is now. */
  retrieve(id: string, params?: AccountsRetrieveParams, options?: RequestOptions): TenurePromise<Account>;
}

export interface ApiKeysResource {
  /** Returns the account’s API keys, the newest first. */
  list(params?: ApiKeysListParams, options?: RequestOptions): ListPromise<ApiKey, ApiKeyList>;
  /**
   * Creates a key of the `type` that you send. The response has its `secret`, which is never shown
   * again. A secret key has all permissions unless you send fewer. The other types require
   * `permissions`.
   */
  create(params: ApiKeysCreateParams, options?: RequestOptions): TenurePromise<ApiKeyWithSecret>;
  /** Returns the API key as it is now. */
  retrieve(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<ApiKey>;
  /**
   * Revokes the key at once, and returns it. It stays in the list, because events and logs name it. The
   * response takes a second, so that no process accepts the key any more.
   */
  delete(id: string, options?: RequestOptions): TenurePromise<ApiKey>;
  /**
   * Creates a key with the same name, permissions and expiry time, and returns it with its `secret`. A
   * new agent key is valid for 30 days. The old key stays valid for `expires_in` seconds.
   */
  roll(id: string, params?: ApiKeysRollParams, options?: RequestOptions): TenurePromise<ApiKeyWithSecret>;
}

export interface UsersResource {
  /** Returns the account’s users, the newest first. */
  list(params?: UsersListParams, options?: RequestOptions): ListPromise<User, UserList>;
  /** Returns the user as it is now. */
  retrieve(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<User>;
  /**
   * Sets the members that you send. All others stay as they are. Only an owner changes an owner. The
   * last active owner keeps the role.
   */
  update(id: string, params: UsersUpdateParams, options?: RequestOptions): TenurePromise<User>;
  /** Deletes the user. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedUser>;
}

export interface InvitationsResource {
  /** Returns the account’s invitations, the newest first. */
  list(params?: InvitationsListParams, options?: RequestOptions): ListPromise<Invitation, InvitationList>;
  /**
   * Invites a person to the account’s team. The response has the `url` of the link, which is never shown
   * again. A newer invitation of the same address revokes this one.
   */
  create(params: InvitationsCreateParams, options?: RequestOptions): TenurePromise<InvitationWithSecret>;
  /** Returns the invitation as it is now. */
  retrieve(id: string, params?: InvitationsRetrieveParams, options?: RequestOptions): TenurePromise<Invitation>;
  /** Revokes the invitation, so that its link does nothing. It stays in the list. */
  delete(id: string, options?: RequestOptions): TenurePromise<Invitation>;
}

export interface TestHelpersReferencesResource {
  /**
   * The simulated service of the reference takes its next step at once. You can call this right after
   * you create the reference. The response shows the effect.
   */
  advance(id: string, params?: TestHelpersReferencesAdvanceParams, options?: RequestOptions): TenurePromise<Reference>;
  /**
   * The simulated service finishes at once, with its planned outcome or with this one. You can call this
   * right after you create the reference. The response is the `complete` reference with its report.
   */
  complete(
    id: string,
    params?: TestHelpersReferencesCompleteParams,
    options?: RequestOptions,
  ): TenurePromise<Reference>;
  /**
   * The simulated service responds with an error from now on, until you call `advance` or `complete`.
   * `last_error` begins with the code.
   */
  fail(id: string, params?: TestHelpersReferencesFailParams, options?: RequestOptions): TenurePromise<Reference>;
  /** The simulated service adds this note. Only `provider_a` shows notes during a check. */
  note(id: string, params: TestHelpersReferencesNoteParams, options?: RequestOptions): TenurePromise<Reference>;
}

export interface TestHelpersResource {
  references: TestHelpersReferencesResource;
  clock: TestHelpersClockResource;
}

export interface ApiVersionsResource {
  /**
   * Returns the versions that you can send in `Service-Version`, the newest first, with their changes.
   * All versions are on one page.
   */
  list(params?: Record<string, never>, options?: RequestOptions): ListPromise<ApiVersion, ApiVersionList>;
}

/** The resources of the API, with their methods. */
export interface Resources {
  references: ReferencesResource;
  applications: ApplicationsResource;
  customers: CustomersResource;
  files: FilesResource;
  events: EventsResource;
  logs: LogsResource;
  webhookEndpoints: WebhookEndpointsResource;
  account: AccountResource;
  accounts: AccountsResource;
  apiKeys: ApiKeysResource;
  users: UsersResource;
  invitations: InvitationsResource;
  testHelpers: TestHelpersResource;
  activity: ActivityResource;
  rulesets: RulesetsResource;
  apiVersions: ApiVersionsResource;
}
