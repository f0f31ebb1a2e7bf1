// `npm run sdk` generates this file from `openapi/`. Do not edit it.

import type { EventStream } from '../event-stream.ts';
import type { ListPromise } from '../lists.ts';
import type { RequestOptions, TenurePromise } from '../transport.ts';
import type {
  Account,
  AccountResource,
  AccountsResource,
  ActivityResource,
  ApiKey,
  ApiKeysResource,
  ApiVersionsResource,
  Application,
  ApplicationsResource,
  ApprovalRequest,
  ApprovalRequestsResource,
  BankLine,
  BankLinesResource,
  Building,
  BuildingsResource,
  Customer,
  CustomersResource,
  DeletedCustomer,
  Delivery,
  DeliveryList,
  Deposit,
  DepositsResource,
  EventsListDeliveriesParams,
  EventsListParams,
  EventsResendParams,
  EventsStreamParams,
  File,
  FileLink,
  FileLinksResource,
  FilesResource,
  Guarantor,
  GuarantorsResource,
  Invitation,
  InvitationsResource,
  Invoice,
  InvoicesResource,
  LogsResource,
  Payment,
  PaymentImport,
  PaymentImportsResource,
  PaymentsResource,
  PortalSession,
  PortalSessionsResource,
  Recovery,
  Reference,
  ReferencesResource,
  ReferencingProvidersResource,
  RetentionHold,
  RetentionHoldsResource,
  RulesetsResource,
  SearchParams,
  SearchResult,
  Subscription,
  SubscriptionsResource,
  TenanciesResource,
  Tenancy,
  TestHelpersResource,
  Unit,
  UnitsResource,
  User,
  UsersResource,
  WebhookEndpoint,
  WebhookEndpointsResource,
  Workflow,
  WorkflowRun,
  WorkflowRunsResource,
  WorkflowsResource,
} from './2026-11-01.ts';
export type {
  Account,
  AccountApiVersionParams,
  AccountApiVersionPreviewParams,
  AccountApiVersionRollbackParams,
  AccountList,
  AccountResource,
  AccountRetrieveParams,
  AccountRules,
  AccountRulesInput,
  AccountUpdateParams,
  AccountsCreateParams,
  AccountsListParams,
  AccountsResource,
  AccountsRetrieveParams,
  Activity,
  ActivityInterval,
  ActivityPoint,
  ActivityResource,
  ActivityRetrieveParams,
  Address,
  AddressInput,
  Affordability,
  Allocation,
  AllocationInput,
  ApiKey,
  ApiKeyList,
  ApiKeyStatus,
  ApiKeyType,
  ApiKeyWithSecret,
  ApiKeysCreateParams,
  ApiKeysListParams,
  ApiKeysResource,
  ApiKeysRollParams,
  ApiVersion,
  ApiVersionList,
  ApiVersionPreview,
  ApiVersionsResource,
  Application,
  ApplicationDecision,
  ApplicationList,
  ApplicationReferences,
  ApplicationReview,
  ApplicationsApproveParams,
  ApplicationsCreateParams,
  ApplicationsListParams,
  ApplicationsRejectParams,
  ApplicationsRequestReviewParams,
  ApplicationsResource,
  ApplicationsRetrieveParams,
  ApplicationsReviewParams,
  ApplicationsUpdateParams,
  ApplicationsWithdrawParams,
  AppliedPart,
  ApprovalPolicy,
  ApprovalRequest,
  ApprovalRequestList,
  ApprovalRequestStatus,
  ApprovalRequestType,
  ApprovalRequestsApproveParams,
  ApprovalRequestsCancelParams,
  ApprovalRequestsListParams,
  ApprovalRequestsRejectParams,
  ApprovalRequestsResource,
  ApprovalRequestsRetrieveParams,
  Arrears,
  AutomaticReference,
  AutomaticReferenceInput,
  BankDetails,
  BankDetailsInput,
  BankLine,
  BankLineCandidate,
  BankLineEvidence,
  BankLineList,
  BankLineStatus,
  BankLinesConfirmParams,
  BankLinesEraseParams,
  BankLinesIgnoreParams,
  BankLinesListParams,
  BankLinesReopenParams,
  BankLinesResource,
  BankLinesRetrieveParams,
  Building,
  BuildingAddress,
  BuildingAddressInput,
  BuildingList,
  BuildingsCreateParams,
  BuildingsListParams,
  BuildingsResource,
  BuildingsUpdateParams,
  CheckSeverity,
  Clock,
  Customer,
  CustomerList,
  CustomersCreateParams,
  CustomersListParams,
  CustomersResource,
  CustomersRetrieveParams,
  CustomersUpdateParams,
  DeductionReason,
  DeletedApplication,
  DeletedBuilding,
  DeletedCustomer,
  DeletedFile,
  DeletedGuarantor,
  DeletedInvoice,
  DeletedUnit,
  DeletedUser,
  DeletedWebhookEndpoint,
  DeletedWorkflow,
  Delivery,
  DeliveryAttempt,
  DeliveryList,
  DeliveryStatus,
  Deposit,
  DepositDeduction,
  DepositDeductionInput,
  DepositDispute,
  DepositList,
  DepositRetention,
  DepositScheme,
  DepositStatus,
  DepositType,
  DepositsApplyParams,
  DepositsCancelParams,
  DepositsCreateParams,
  DepositsDisputeParams,
  DepositsExtendParams,
  DepositsGiveInformationParams,
  DepositsListParams,
  DepositsProposeReleaseParams,
  DepositsProtectParams,
  DepositsReleaseParams,
  DepositsResource,
  DepositsRetainParams,
  DepositsRetrieveParams,
  DepositsReturnParams,
  DepositsUpdateParams,
  Difference,
  Email,
  EmailList,
  EmailStatus,
  ErasedRecords,
  ErasureHold,
  ErasureObstacle,
  ErasurePreview,
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
  FileLink,
  FileLinkList,
  FileLinkStatus,
  FileLinkWithSecret,
  FileLinksListParams,
  FileLinksResource,
  FileLinksRetrieveParams,
  FileLinksRevokeParams,
  FileList,
  FilePurpose,
  FilesCreateParams,
  FilesLinksParams,
  FilesListParams,
  FilesResource,
  FilesRetrieveParams,
  FilesUpdateParams,
  Guarantor,
  GuarantorList,
  GuarantorStatus,
  GuarantorsAgreeParams,
  GuarantorsCreateParams,
  GuarantorsDeclineParams,
  GuarantorsListParams,
  GuarantorsReleaseParams,
  GuarantorsResource,
  GuarantorsRetrieveParams,
  GuarantorsUpdateParams,
  Interval,
  Invitation,
  InvitationList,
  InvitationStatus,
  InvitationWithSecret,
  InvitationsCreateParams,
  InvitationsListParams,
  InvitationsResource,
  InvitationsRetrieveParams,
  Invoice,
  InvoiceCredit,
  InvoiceLine,
  InvoiceLineInput,
  InvoiceLineType,
  InvoiceList,
  InvoicePeriod,
  InvoicePeriodInput,
  InvoiceStatus,
  InvoicesCreateParams,
  InvoicesCreditParams,
  InvoicesFinalizeParams,
  InvoicesListParams,
  InvoicesMarkUncollectibleParams,
  InvoicesResource,
  InvoicesRetrieveParams,
  InvoicesUpdateParams,
  InvoicesVoidParams,
  Jurisdiction,
  Latency,
  LedgerEntry,
  LedgerEntryList,
  Letterhead,
  LetterheadAddress,
  LetterheadAddressInput,
  LetterheadInput,
  LinkedRecords,
  Log,
  LogList,
  LoggedError,
  LogsListParams,
  LogsResource,
  Metadata,
  Money,
  MoneyInput,
  Outcome,
  Payment,
  PaymentFailure,
  PaymentImport,
  PaymentImportLines,
  PaymentImportList,
  PaymentImportStatus,
  PaymentImportsListParams,
  PaymentImportsResource,
  PaymentList,
  PaymentMethod,
  PaymentProvider,
  PaymentStatus,
  PaymentsAllocateParams,
  PaymentsCancelParams,
  PaymentsCreateParams,
  PaymentsFailParams,
  PaymentsImportParams,
  PaymentsListParams,
  PaymentsRefundParams,
  PaymentsResource,
  PaymentsRetrieveParams,
  PaymentsSucceedParams,
  PaymentsUpdateParams,
  PetRequest,
  PortalFeature,
  PortalSession,
  PortalSessionList,
  PortalSessionStatus,
  PortalSessionWithSecret,
  PortalSessionsCreateParams,
  PortalSessionsEndParams,
  PortalSessionsListParams,
  PortalSessionsResource,
  PortalSessionsRetrieveParams,
  PreviewedError,
  Provider,
  ProviderAData,
  ProviderCredentialsInput,
  ProviderData,
  ProviderNote,
  RaisedCheck,
  Recovery,
  RecoveryList,
  RecoveryStatus,
  Reference,
  ReferenceDecider,
  ReferenceDecision,
  ReferenceList,
  ReferenceStatus,
  ReferenceType,
  ReferencesCancelParams,
  ReferencesCreateParams,
  ReferencesEraseParams,
  ReferencesListParams,
  ReferencesResource,
  ReferencesRetrieveParams,
  ReferencesRetryParams,
  ReferencesUpdateParams,
  ReferencingProvider,
  ReferencingProviderList,
  ReferencingProvidersResource,
  Refund,
  RejectionReason,
  Rent,
  RentChangeBasis,
  RentInput,
  RequestSource,
  RetentionHold,
  RetentionHoldContent,
  RetentionHoldKind,
  RetentionHoldList,
  RetentionHoldStatus,
  RetentionHoldWithSecret,
  RetentionHoldsContentsParams,
  RetentionHoldsListParams,
  RetentionHoldsResource,
  RetentionHoldsRetrieveParams,
  RetentionHoldsRevealParams,
  RetentionReason,
  RightToRent,
  RightToRentInput,
  Ruleset,
  RulesetCheck,
  RulesetId,
  RulesetsResource,
  RulesetsRetrieveParams,
  ScheduledChange,
  SearchHit,
  SearchParams,
  SearchResult,
  SecondFactor,
  Statement,
  StatementEntry,
  Subscription,
  SubscriptionList,
  SubscriptionStatus,
  SubscriptionType,
  SubscriptionsCancelChangeParams,
  SubscriptionsCancelParams,
  SubscriptionsChangeAmountParams,
  SubscriptionsCreateParams,
  SubscriptionsListParams,
  SubscriptionsPauseParams,
  SubscriptionsResource,
  SubscriptionsResumeParams,
  SubscriptionsRetrieveParams,
  SubscriptionsUpdateParams,
  TenanciesAnswerPetParams,
  TenanciesCancelParams,
  TenanciesCreateParams,
  TenanciesEndParams,
  TenanciesGiveNoticeParams,
  TenanciesListLedgerParams,
  TenanciesListParams,
  TenanciesRequestPetParams,
  TenanciesResource,
  TenanciesRetrieveParams,
  TenanciesRetrieveStatementParams,
  TenanciesRetrieveStatementPdfParams,
  TenanciesSignParams,
  TenanciesUpdateParams,
  TenanciesWithdrawNoticeParams,
  Tenancy,
  TenancyList,
  TenancyNotice,
  TenancyRent,
  TenancyRentInput,
  TenancyStatus,
  TenancyType,
  TestHelpersApprovalRequestsApproveParams,
  TestHelpersApprovalRequestsRejectParams,
  TestHelpersApprovalRequestsResource,
  TestHelpersClockAdvanceParams,
  TestHelpersClockResource,
  TestHelpersEmailsListParams,
  TestHelpersEmailsResource,
  TestHelpersPaymentsFailParams,
  TestHelpersPaymentsResource,
  TestHelpersPaymentsSucceedParams,
  TestHelpersReferencesAdvanceParams,
  TestHelpersReferencesCompleteParams,
  TestHelpersReferencesFailParams,
  TestHelpersReferencesNoteParams,
  TestHelpersReferencesResource,
  TestHelpersResource,
  Unit,
  UnitList,
  UnitStatus,
  UnitType,
  UnitsCreateParams,
  UnitsListParams,
  UnitsResource,
  UnitsRetrieveParams,
  UnitsUpdateParams,
  User,
  UserList,
  UserRole,
  UserStatus,
  UsersListParams,
  UsersResource,
  UsersUpdateParams,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointStatus,
  WebhookEndpointWithSecret,
  WebhookEndpointsCreateParams,
  WebhookEndpointsListDeliveriesParams,
  WebhookEndpointsListParams,
  WebhookEndpointsListRecoveriesParams,
  WebhookEndpointsRecoverParams,
  WebhookEndpointsResource,
  WebhookEndpointsUpdateParams,
  Workflow,
  WorkflowFilter,
  WorkflowFilterInput,
  WorkflowList,
  WorkflowRun,
  WorkflowRunList,
  WorkflowRunStatus,
  WorkflowRunStep,
  WorkflowRunsCancelParams,
  WorkflowRunsListParams,
  WorkflowRunsResource,
  WorkflowRunsRetrieveParams,
  WorkflowRunsRetryParams,
  WorkflowStatus,
  WorkflowStep,
  WorkflowStepInput,
  WorkflowTest,
  WorkflowTestStep,
  WorkflowTrigger,
  WorkflowTriggerInput,
  WorkflowWithSecret,
  WorkflowsCreateParams,
  WorkflowsListParams,
  WorkflowsResource,
  WorkflowsTestParams,
  WorkflowsUpdateParams,
} from './2026-11-01.ts';

export interface AccountCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'account.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Account;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface AccountCredentialsChangedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'account.credentials_changed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Account;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface AccountUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'account.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Account;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApiKeyCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'api_key.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApiKey;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApiKeyRevokedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'api_key.revoked';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApiKey;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApiKeyRolledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'api_key.rolled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApiKey;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApiKeyUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'api_key.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApiKey;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationApprovedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.approved';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationCheckRaisedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.check_raised';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationConvertedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.converted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationRejectedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.rejected';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationReopenedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.reopened';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationReviewRequestedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.review_requested';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationReviewedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.reviewed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApplicationWithdrawnEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'application.withdrawn';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Application;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApprovalRequestApprovedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'approval_request.approved';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApprovalRequest;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApprovalRequestCanceledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'approval_request.canceled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApprovalRequest;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApprovalRequestCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'approval_request.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApprovalRequest;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApprovalRequestExecutedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'approval_request.executed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApprovalRequest;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApprovalRequestExpiredEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'approval_request.expired';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApprovalRequest;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApprovalRequestRejectedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'approval_request.rejected';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApprovalRequest;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApprovalRequestUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'approval_request.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: ApprovalRequest;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface BankLineConfirmedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'bank_line.confirmed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: BankLine;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface BankLineDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'bank_line.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: BankLine;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface BankLineIgnoredEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'bank_line.ignored';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: BankLine;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface BankLineReopenedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'bank_line.reopened';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: BankLine;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface BankLineUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'bank_line.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: BankLine;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface BuildingCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'building.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Building;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface BuildingDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'building.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Building;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface BuildingUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'building.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Building;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface CustomerCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'customer.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Customer;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface CustomerDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'customer.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: DeletedCustomer;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface CustomerUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'customer.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Customer;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositAppliedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.applied';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositCanceledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.canceled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositCheckRaisedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.check_raised';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositDisputedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.disputed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositInformationGivenEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.information_given';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositProtectedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.protected';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositReceivedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.received';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositReleaseProposedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.release_proposed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositReleasedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.released';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositRetainedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.retained';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositReturnedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.returned';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface DepositUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'deposit.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Deposit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Event>;
}

export interface FileCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'file.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: File;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface FileDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'file.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: File;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface FileLinkCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'file_link.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: FileLink;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface FileLinkOpenedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'file_link.opened';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: FileLink;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface FileLinkRevokedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'file_link.revoked';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: FileLink;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface FileLinkUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'file_link.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: FileLink;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface FileUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'file.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: File;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface GuarantorAgreedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'guarantor.agreed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Guarantor;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface GuarantorCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'guarantor.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Guarantor;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface GuarantorDeclinedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'guarantor.declined';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Guarantor;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface GuarantorDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'guarantor.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Guarantor;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface GuarantorReleasedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'guarantor.released';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Guarantor;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface GuarantorUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'guarantor.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Guarantor;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvitationAcceptedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invitation.accepted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invitation;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvitationCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invitation.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invitation;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvitationRevokedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invitation.revoked';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invitation;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvitationUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invitation.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invitation;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceCreditedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.credited';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceFinalizedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.finalized';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceMarkedUncollectibleEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.marked_uncollectible';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceOverdueEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.overdue';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoicePaidEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.paid';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceReopenedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.reopened';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface InvoiceVoidedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'invoice.voided';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Invoice;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
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
  | ApplicationApprovedEvent
  | ApplicationRejectedEvent
  | ApplicationWithdrawnEvent
  | ApplicationReviewRequestedEvent
  | ApplicationReviewedEvent
  | ApplicationConvertedEvent
  | ApplicationReopenedEvent
  | ApplicationCheckRaisedEvent
  | GuarantorCreatedEvent
  | GuarantorUpdatedEvent
  | GuarantorDeletedEvent
  | GuarantorAgreedEvent
  | GuarantorDeclinedEvent
  | GuarantorReleasedEvent
  | BuildingCreatedEvent
  | BuildingUpdatedEvent
  | BuildingDeletedEvent
  | UnitCreatedEvent
  | UnitUpdatedEvent
  | UnitDeletedEvent
  | UnitAvailableEvent
  | UnitReservedEvent
  | UnitLetAgreedEvent
  | UnitOccupiedEvent
  | TenancyCreatedEvent
  | TenancyUpdatedEvent
  | TenancySignedEvent
  | TenancyActivatedEvent
  | TenancyNoticeGivenEvent
  | TenancyNoticeWithdrawnEvent
  | TenancyEndedEvent
  | TenancyCanceledEvent
  | TenancyPetRequestedEvent
  | TenancyPetAnsweredEvent
  | TenancyArrearsStartedEvent
  | TenancyArrearsClearedEvent
  | TenancyCheckRaisedEvent
  | DepositCreatedEvent
  | DepositUpdatedEvent
  | DepositReceivedEvent
  | DepositAppliedEvent
  | DepositRetainedEvent
  | DepositReturnedEvent
  | DepositProtectedEvent
  | DepositInformationGivenEvent
  | DepositReleaseProposedEvent
  | DepositDisputedEvent
  | DepositReleasedEvent
  | DepositCanceledEvent
  | DepositCheckRaisedEvent
  | SubscriptionCreatedEvent
  | SubscriptionUpdatedEvent
  | SubscriptionActivatedEvent
  | SubscriptionChangeScheduledEvent
  | SubscriptionChangeCanceledEvent
  | SubscriptionAmountChangedEvent
  | SubscriptionPausedEvent
  | SubscriptionResumedEvent
  | SubscriptionEndedEvent
  | InvoiceCreatedEvent
  | InvoiceUpdatedEvent
  | InvoiceDeletedEvent
  | InvoiceFinalizedEvent
  | InvoicePaidEvent
  | InvoiceReopenedEvent
  | InvoiceCreditedEvent
  | InvoiceVoidedEvent
  | InvoiceMarkedUncollectibleEvent
  | InvoiceOverdueEvent
  | PaymentCreatedEvent
  | PaymentUpdatedEvent
  | PaymentSucceededEvent
  | PaymentFailedEvent
  | PaymentCanceledEvent
  | PaymentAllocatedEvent
  | PaymentRefundedEvent
  | PaymentImportCreatedEvent
  | PaymentImportUpdatedEvent
  | BankLineUpdatedEvent
  | BankLineDeletedEvent
  | BankLineConfirmedEvent
  | BankLineIgnoredEvent
  | BankLineReopenedEvent
  | CustomerCreatedEvent
  | CustomerUpdatedEvent
  | CustomerDeletedEvent
  | RetentionHoldCreatedEvent
  | RetentionHoldUpdatedEvent
  | RetentionHoldRevealedEvent
  | RetentionHoldExpiredEvent
  | FileCreatedEvent
  | FileUpdatedEvent
  | FileDeletedEvent
  | FileLinkCreatedEvent
  | FileLinkUpdatedEvent
  | FileLinkOpenedEvent
  | FileLinkRevokedEvent
  | PortalSessionCreatedEvent
  | PortalSessionUpdatedEvent
  | PortalSessionOpenedEvent
  | PortalSessionEndedEvent
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
  | WorkflowCreatedEvent
  | WorkflowUpdatedEvent
  | WorkflowDeletedEvent
  | WorkflowActivatedEvent
  | WorkflowPausedEvent
  | WorkflowArchivedEvent
  | WorkflowRunCreatedEvent
  | WorkflowRunUpdatedEvent
  | WorkflowRunSucceededEvent
  | WorkflowRunFailedEvent
  | WorkflowRunCanceledEvent
  | AccountCreatedEvent
  | AccountUpdatedEvent
  | AccountCredentialsChangedEvent
  | ApiKeyCreatedEvent
  | ApiKeyUpdatedEvent
  | ApiKeyRolledEvent
  | ApiKeyRevokedEvent
  | ApprovalRequestCreatedEvent
  | ApprovalRequestUpdatedEvent
  | ApprovalRequestApprovedEvent
  | ApprovalRequestRejectedEvent
  | ApprovalRequestCanceledEvent
  | ApprovalRequestExpiredEvent
  | ApprovalRequestExecutedEvent
  | UserCreatedEvent
  | UserUpdatedEvent
  | UserDeletedEvent
  | InvitationCreatedEvent
  | InvitationUpdatedEvent
  | InvitationAcceptedEvent
  | InvitationRevokedEvent;

/** An event of a type that a later release has added. */
export interface OtherEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: string;
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Record<string, unknown>;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentAllocatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment.allocated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Payment;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentCanceledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment.canceled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Payment;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Payment;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentFailedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment.failed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Payment;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentImportCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment_import.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: PaymentImport;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentImportUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment_import.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: PaymentImport;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentRefundedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment.refunded';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Payment;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentSucceededEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment.succeeded';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Payment;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'payment.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Payment;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PortalSessionCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'portal_session.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: PortalSession;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PortalSessionEndedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'portal_session.ended';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: PortalSession;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PortalSessionOpenedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'portal_session.opened';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: PortalSession;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PortalSessionUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'portal_session.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: PortalSession;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RecoveryCanceledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'recovery.canceled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Recovery;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RecoveryCompletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'recovery.completed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Recovery;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RecoveryCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'recovery.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Recovery;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RecoveryUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'recovery.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Recovery;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RetentionHoldCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'retention_hold.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: RetentionHold;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RetentionHoldExpiredEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'retention_hold.expired';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: RetentionHold;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RetentionHoldRevealedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'retention_hold.revealed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: RetentionHold;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RetentionHoldUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'retention_hold.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: RetentionHold;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionActivatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.activated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionAmountChangedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.amount_changed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionChangeCanceledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.change_canceled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionChangeScheduledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.change_scheduled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionEndedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.ended';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionPausedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.paused';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionResumedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.resumed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface SubscriptionUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'subscription.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Subscription;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyActivatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.activated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyArrearsClearedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.arrears_cleared';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyArrearsStartedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.arrears_started';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyCanceledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.canceled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyCheckRaisedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.check_raised';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyEndedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.ended';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyNoticeGivenEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.notice_given';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyNoticeWithdrawnEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.notice_withdrawn';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyPetAnsweredEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.pet_answered';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyPetRequestedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.pet_requested';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancySignedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.signed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface TenancyUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'tenancy.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Tenancy;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UnitAvailableEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'unit.available';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Unit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UnitCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'unit.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Unit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UnitDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'unit.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Unit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UnitLetAgreedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'unit.let_agreed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Unit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UnitOccupiedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'unit.occupied';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Unit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UnitReservedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'unit.reserved';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Unit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UnitUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'unit.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Unit;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UserCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'user.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: User;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UserDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'user.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: User;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface UserUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'user.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: User;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WebhookEndpointCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'webhook_endpoint.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WebhookEndpoint;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WebhookEndpointDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'webhook_endpoint.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WebhookEndpoint;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WebhookEndpointDisabledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'webhook_endpoint.disabled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WebhookEndpoint;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WebhookEndpointPingedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'webhook_endpoint.pinged';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WebhookEndpoint;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WebhookEndpointSecretRolledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'webhook_endpoint.secret_rolled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WebhookEndpoint;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WebhookEndpointUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'webhook_endpoint.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WebhookEndpoint;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowActivatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow.activated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Workflow;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowArchivedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow.archived';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Workflow;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Workflow;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowDeletedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow.deleted';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Workflow;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowPausedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow.paused';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Workflow;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowRunCanceledEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow_run.canceled';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WorkflowRun;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowRunCreatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow_run.created';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WorkflowRun;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowRunFailedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow_run.failed';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WorkflowRun;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowRunSucceededEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow_run.succeeded';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WorkflowRun;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowRunUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow_run.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: WorkflowRun;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WorkflowUpdatedEvent {
  /** The id of the event. */
  id: string;
  /** The kind of the object. */
  object: 'event';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The type of the event: `<resource>.<verb>`. */
  type: 'workflow.updated';
  /** The record, and its earlier values. */
  data: {
    /** The record as it was when this happened, without its secrets. */
    object: Workflow;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
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
  /**
   * Returns the deliveries of this event, the newest first. Your key also needs
   * `webhook_endpoints.read`.
   */
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

/** The resources of the API, with their methods. */
export interface Resources {
  /**
   * Finds records by parts of their texts: names, e-mail addresses, phone numbers, addresses, numbers,
   * and `metadata` values. It also finds references of banks and deposit schemes, and ids by their
   * beginning.
   */
  search(params: SearchParams, options?: RequestOptions): TenurePromise<SearchResult>;
  references: ReferencesResource;
  applications: ApplicationsResource;
  guarantors: GuarantorsResource;
  buildings: BuildingsResource;
  units: UnitsResource;
  tenancies: TenanciesResource;
  deposits: DepositsResource;
  subscriptions: SubscriptionsResource;
  invoices: InvoicesResource;
  payments: PaymentsResource;
  paymentImports: PaymentImportsResource;
  bankLines: BankLinesResource;
  customers: CustomersResource;
  retentionHolds: RetentionHoldsResource;
  files: FilesResource;
  fileLinks: FileLinksResource;
  portalSessions: PortalSessionsResource;
  events: EventsResource;
  logs: LogsResource;
  webhookEndpoints: WebhookEndpointsResource;
  workflows: WorkflowsResource;
  workflowRuns: WorkflowRunsResource;
  account: AccountResource;
  accounts: AccountsResource;
  apiKeys: ApiKeysResource;
  approvalRequests: ApprovalRequestsResource;
  users: UsersResource;
  invitations: InvitationsResource;
  testHelpers: TestHelpersResource;
  activity: ActivityResource;
  rulesets: RulesetsResource;
  referencingProviders: ReferencingProvidersResource;
  apiVersions: ApiVersionsResource;
}
