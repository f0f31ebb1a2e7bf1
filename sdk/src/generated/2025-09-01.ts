// `npm run sdk` generates this file from `openapi/`. Do not edit it.

import type { EventStream } from '../event-stream.ts';
import type { ListPromise } from '../lists.ts';
import type { RequestOptions, TenurePromise } from '../transport.ts';
import type {
  AccountApiVersionParams,
  AccountApiVersionPreviewParams,
  AccountApiVersionRollbackParams,
  AccountRetrieveParams,
  AccountRules,
  AccountUpdateParams,
  AccountsCreateParams,
  AccountsListParams,
  AccountsRetrieveParams,
  ActivityResource,
  Address,
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
  ApiVersionPreview,
  ApplicationDecision,
  ApplicationReferences,
  ApplicationReview,
  ApplicationsApproveParams,
  ApplicationsCreateParams,
  ApplicationsListParams,
  ApplicationsRejectParams,
  ApplicationsRequestReviewParams,
  ApplicationsRetrieveParams,
  ApplicationsReviewParams,
  ApplicationsUpdateParams,
  ApplicationsWithdrawParams,
  ApprovalRequestStatus,
  ApprovalRequestType,
  ApprovalRequestsApproveParams,
  ApprovalRequestsCancelParams,
  ApprovalRequestsListParams,
  ApprovalRequestsRejectParams,
  ApprovalRequestsRetrieveParams,
  Arrears,
  AutomaticReference,
  AutomaticReferenceInput,
  BankDetails,
  BankLineEvidence,
  BankLineStatus,
  BankLinesConfirmParams,
  BankLinesEraseParams,
  BankLinesIgnoreParams,
  BankLinesListParams,
  BankLinesReopenParams,
  BankLinesRetrieveParams,
  Building,
  BuildingCreatedEvent,
  BuildingDeletedEvent,
  BuildingUpdatedEvent,
  BuildingsCreateParams,
  BuildingsListParams,
  BuildingsUpdateParams,
  CustomerDeletedEvent,
  CustomersCreateParams,
  CustomersListParams,
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
  DepositDispute,
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
  DepositsRetainParams,
  DepositsRetrieveParams,
  DepositsReturnParams,
  DepositsUpdateParams,
  Email,
  EmailStatus,
  ErasurePreview,
  EventsListDeliveriesParams,
  EventsListParams,
  EventsResendParams,
  EventsStreamParams,
  FileLinkStatus,
  FileLinksListParams,
  FileLinksRetrieveParams,
  FileLinksRevokeParams,
  FilePurpose,
  FilesCreateParams,
  FilesLinksParams,
  FilesListParams,
  FilesRetrieveParams,
  FilesUpdateParams,
  GuarantorStatus,
  GuarantorsAgreeParams,
  GuarantorsCreateParams,
  GuarantorsDeclineParams,
  GuarantorsListParams,
  GuarantorsReleaseParams,
  GuarantorsRetrieveParams,
  GuarantorsUpdateParams,
  Invitation,
  InvitationAcceptedEvent,
  InvitationCreatedEvent,
  InvitationRevokedEvent,
  InvitationUpdatedEvent,
  InvitationWithSecret,
  InvitationsCreateParams,
  InvitationsListParams,
  InvitationsRetrieveParams,
  InvoiceCredit,
  InvoiceLineType,
  InvoicePeriod,
  InvoiceStatus,
  InvoicesCreateParams,
  InvoicesCreditParams,
  InvoicesFinalizeParams,
  InvoicesListParams,
  InvoicesMarkUncollectibleParams,
  InvoicesRetrieveParams,
  InvoicesUpdateParams,
  InvoicesVoidParams,
  Jurisdiction,
  LetterheadAddress,
  LinkedRecords,
  Log,
  LogsListParams,
  Metadata,
  Money,
  Outcome,
  PaymentFailure,
  PaymentImport,
  PaymentImportCreatedEvent,
  PaymentImportUpdatedEvent,
  PaymentImportsListParams,
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
  PaymentsRetrieveParams,
  PaymentsSucceedParams,
  PaymentsUpdateParams,
  PortalFeature,
  PortalSessionStatus,
  PortalSessionsCreateParams,
  PortalSessionsEndParams,
  PortalSessionsListParams,
  PortalSessionsRetrieveParams,
  Provider,
  RaisedCheck,
  Recovery,
  RecoveryCanceledEvent,
  RecoveryCompletedEvent,
  RecoveryCreatedEvent,
  RecoveryUpdatedEvent,
  ReferenceDecision,
  ReferenceStatus,
  ReferenceType,
  ReferencingProvider,
  Refund,
  Rent,
  RetentionHoldContent,
  RetentionHoldKind,
  RetentionHoldStatus,
  RetentionHoldsContentsParams,
  RetentionHoldsListParams,
  RetentionHoldsRetrieveParams,
  RetentionHoldsRevealParams,
  RulesetsResource,
  ScheduledChange,
  SearchParams,
  Statement,
  SubscriptionStatus,
  SubscriptionType,
  SubscriptionsCancelChangeParams,
  SubscriptionsCancelParams,
  SubscriptionsChangeAmountParams,
  SubscriptionsCreateParams,
  SubscriptionsListParams,
  SubscriptionsPauseParams,
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
  TenanciesRetrieveParams,
  TenanciesRetrieveStatementParams,
  TenanciesRetrieveStatementPdfParams,
  TenanciesSignParams,
  TenanciesUpdateParams,
  TenanciesWithdrawNoticeParams,
  TenancyNotice,
  TenancyRent,
  TenancyStatus,
  TenancyType,
  TestHelpersApprovalRequestsApproveParams,
  TestHelpersApprovalRequestsRejectParams,
  TestHelpersClockResource,
  TestHelpersEmailsListParams,
  TestHelpersPaymentsFailParams,
  TestHelpersPaymentsSucceedParams,
  UnitStatus,
  UnitType,
  UnitsCreateParams,
  UnitsListParams,
  UnitsRetrieveParams,
  UnitsUpdateParams,
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
  Workflow,
  WorkflowActivatedEvent,
  WorkflowArchivedEvent,
  WorkflowCreatedEvent,
  WorkflowDeletedEvent,
  WorkflowPausedEvent,
  WorkflowRunStatus,
  WorkflowRunStep,
  WorkflowRunsCancelParams,
  WorkflowRunsListParams,
  WorkflowRunsRetrieveParams,
  WorkflowRunsRetryParams,
  WorkflowTest,
  WorkflowUpdatedEvent,
  WorkflowWithSecret,
  WorkflowsCreateParams,
  WorkflowsListParams,
  WorkflowsTestParams,
  WorkflowsUpdateParams,
} from './2026-03-01.ts';
export type {
  AccountApiVersionParams,
  AccountApiVersionPreviewParams,
  AccountApiVersionRollbackParams,
  AccountRetrieveParams,
  AccountRules,
  AccountRulesInput,
  AccountUpdateParams,
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
  AllocationInput,
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
  ApplicationDecision,
  ApplicationReferences,
  ApplicationReview,
  ApplicationsApproveParams,
  ApplicationsCreateParams,
  ApplicationsListParams,
  ApplicationsRejectParams,
  ApplicationsRequestReviewParams,
  ApplicationsRetrieveParams,
  ApplicationsReviewParams,
  ApplicationsUpdateParams,
  ApplicationsWithdrawParams,
  ApprovalPolicy,
  ApprovalRequestStatus,
  ApprovalRequestType,
  ApprovalRequestsApproveParams,
  ApprovalRequestsCancelParams,
  ApprovalRequestsListParams,
  ApprovalRequestsRejectParams,
  ApprovalRequestsRetrieveParams,
  Arrears,
  AutomaticReference,
  AutomaticReferenceInput,
  BankDetails,
  BankDetailsInput,
  BankLineEvidence,
  BankLineStatus,
  BankLinesConfirmParams,
  BankLinesEraseParams,
  BankLinesIgnoreParams,
  BankLinesListParams,
  BankLinesReopenParams,
  BankLinesRetrieveParams,
  Building,
  BuildingAddress,
  BuildingAddressInput,
  BuildingCreatedEvent,
  BuildingDeletedEvent,
  BuildingUpdatedEvent,
  BuildingsCreateParams,
  BuildingsListParams,
  BuildingsUpdateParams,
  CheckSeverity,
  Clock,
  CustomerDeletedEvent,
  CustomersCreateParams,
  CustomersListParams,
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
  DeliveryStatus,
  DepositDeductionInput,
  DepositDispute,
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
  DepositsRetainParams,
  DepositsRetrieveParams,
  DepositsReturnParams,
  DepositsUpdateParams,
  Difference,
  Email,
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
  FileLinkStatus,
  FileLinksListParams,
  FileLinksRetrieveParams,
  FileLinksRevokeParams,
  FilePurpose,
  FilesCreateParams,
  FilesLinksParams,
  FilesListParams,
  FilesRetrieveParams,
  FilesUpdateParams,
  GuarantorStatus,
  GuarantorsAgreeParams,
  GuarantorsCreateParams,
  GuarantorsDeclineParams,
  GuarantorsListParams,
  GuarantorsReleaseParams,
  GuarantorsRetrieveParams,
  GuarantorsUpdateParams,
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
  InvoiceCredit,
  InvoiceLineInput,
  InvoiceLineType,
  InvoicePeriod,
  InvoicePeriodInput,
  InvoiceStatus,
  InvoicesCreateParams,
  InvoicesCreditParams,
  InvoicesFinalizeParams,
  InvoicesListParams,
  InvoicesMarkUncollectibleParams,
  InvoicesRetrieveParams,
  InvoicesUpdateParams,
  InvoicesVoidParams,
  Jurisdiction,
  Latency,
  LetterheadAddress,
  LetterheadAddressInput,
  LetterheadInput,
  LinkedRecords,
  Log,
  LoggedError,
  LogsListParams,
  Metadata,
  Money,
  MoneyInput,
  OtherEvent,
  Outcome,
  PaymentFailure,
  PaymentImport,
  PaymentImportCreatedEvent,
  PaymentImportLines,
  PaymentImportStatus,
  PaymentImportUpdatedEvent,
  PaymentImportsListParams,
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
  PaymentsRetrieveParams,
  PaymentsSucceedParams,
  PaymentsUpdateParams,
  PortalFeature,
  PortalSessionStatus,
  PortalSessionsCreateParams,
  PortalSessionsEndParams,
  PortalSessionsListParams,
  PortalSessionsRetrieveParams,
  PreviewedError,
  Provider,
  ProviderAData,
  ProviderCredentialsInput,
  ProviderData,
  ProviderNote,
  RaisedCheck,
  Recovery,
  RecoveryCanceledEvent,
  RecoveryCompletedEvent,
  RecoveryCreatedEvent,
  RecoveryStatus,
  RecoveryUpdatedEvent,
  ReferenceDecider,
  ReferenceDecision,
  ReferenceStatus,
  ReferenceType,
  ReferencingProvider,
  Refund,
  RejectionReason,
  Rent,
  RentChangeBasis,
  RentInput,
  RequestSource,
  RetentionHoldContent,
  RetentionHoldKind,
  RetentionHoldStatus,
  RetentionHoldsContentsParams,
  RetentionHoldsListParams,
  RetentionHoldsRetrieveParams,
  RetentionHoldsRevealParams,
  RetentionReason,
  RightToRentInput,
  Ruleset,
  RulesetCheck,
  RulesetId,
  RulesetsResource,
  RulesetsRetrieveParams,
  ScheduledChange,
  SearchParams,
  SecondFactor,
  Statement,
  StatementEntry,
  SubscriptionStatus,
  SubscriptionType,
  SubscriptionsCancelChangeParams,
  SubscriptionsCancelParams,
  SubscriptionsChangeAmountParams,
  SubscriptionsCreateParams,
  SubscriptionsListParams,
  SubscriptionsPauseParams,
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
  TenanciesRetrieveParams,
  TenanciesRetrieveStatementParams,
  TenanciesRetrieveStatementPdfParams,
  TenanciesSignParams,
  TenanciesUpdateParams,
  TenanciesWithdrawNoticeParams,
  TenancyNotice,
  TenancyRent,
  TenancyRentInput,
  TenancyStatus,
  TenancyType,
  TestHelpersApprovalRequestsApproveParams,
  TestHelpersApprovalRequestsRejectParams,
  TestHelpersClockAdvanceParams,
  TestHelpersClockResource,
  TestHelpersEmailsListParams,
  TestHelpersPaymentsFailParams,
  TestHelpersPaymentsSucceedParams,
  UnitStatus,
  UnitType,
  UnitsCreateParams,
  UnitsListParams,
  UnitsRetrieveParams,
  UnitsUpdateParams,
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
  Workflow,
  WorkflowActivatedEvent,
  WorkflowArchivedEvent,
  WorkflowCreatedEvent,
  WorkflowDeletedEvent,
  WorkflowFilter,
  WorkflowFilterInput,
  WorkflowPausedEvent,
  WorkflowRunStatus,
  WorkflowRunStep,
  WorkflowRunsCancelParams,
  WorkflowRunsListParams,
  WorkflowRunsRetrieveParams,
  WorkflowRunsRetryParams,
  WorkflowStatus,
  WorkflowStep,
  WorkflowStepInput,
  WorkflowTest,
  WorkflowTestStep,
  WorkflowTrigger,
  WorkflowTriggerInput,
  WorkflowUpdatedEvent,
  WorkflowWithSecret,
  WorkflowsCreateParams,
  WorkflowsListParams,
  WorkflowsTestParams,
  WorkflowsUpdateParams,
} from './2026-03-01.ts';

/**
 * A letting agent or a platform, with its own keys and records. A platform has connected accounts, and
 * acts for them with the header `Service-Context`.
 */
export interface Account {
  /** The id of the account. */
  id: string;
  /** The kind of the object. */
  object: 'account';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The name of the account. */
  name: string;
  /**
   * The version of its requests without `Service-Version`. Null until its first request, which pins it
   * to the latest.
   */
  api_version: string | null;
  /** The version before its last upgrade. Null if there was none, or if it was rolled back. */
  api_version_previous: string | null;
  /**
   * Until when you can roll back its last upgrade, in seconds since the Unix epoch. Null if there is
   * none, and after that time.
   */
  rollback_until: number | null;
  /** The referencing provider of references that name none. Null if none is set. */
  default_provider: Provider | (string & {}) | null;
  /**
   * `open`: links can have ids of your own system, which are not checked. `strict`: a link to a record
   * that does not exist here is refused.
   */
  linked_records: LinkedRecords | (string & {});
  /**
   * Whether its team members need a second factor to use the dashboard. Null means: in live mode, but
   * not in a sandbox.
   */
  require_second_factor: boolean | null;
  /**
   * The time zone (IANA) whose calendar its days follow, such as today, due dates and notices. The
   * default is `Europe/London`.
   */
  time_zone: string;
  /**
   * The law that Tenure checks the lets of the account against. `GET /v1/rulesets/{id}` lists the
   * checks. The default is `england`, with the severities of the law.
   */
  rules: AccountRules;
  /** The first part of the numbers of new invoices: `INV` in `INV-000001`, which is the default. */
  invoice_prefix: string;
  /**
   * The last day of its accounting year, as month and day. Records of rent are kept for six years after
   * it when a person is erased. The default is `03-31`.
   */
  year_end: string;
  /**
   * The sender that its invoices, statements and reports show as a PDF. Invoices and statements have its
   * bank account to pay to. Null if none is set: they show `name`.
   */
  letterhead: Letterhead | null;
  /**
   * The payment gateway of new payments of tenancies by direct debit or card that name none. Null if you
   * collect them yourself.
   */
  payment_provider: PaymentProvider | (string & {}) | null;
  /**
   * The id of the account that it is connected to. Null for a root account, such as a deployment’s first
   * one.
   */
  parent: string | null | Account;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

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

/** A part of a payment that settles an invoice. */
export interface Allocation {
  /** The id of the invoice. */
  invoice: string | Invoice;
  /** In the smallest unit of the currency. */
  amount: number;
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

/**
 * An application of one or more persons to rent a home together. Create a reference for each person.
 * `references` sums them up, and changes at the same moment as they do.
 */
export interface Application {
  /** The id of the application. */
  id: string;
  /** The kind of the object. */
  object: 'application';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The ids of the persons that apply together: customers of this API, or of your own system. */
  customers: Array<string | Customer | DeletedCustomer>;
  /** The id of the home: a unit of this API, or of your own system. Null if you sent none. */
  unit: string | null | Unit;
  /** The rent. Null if it is not known. */
  rent: Rent | null;
  /** The day on which the applicants want to move in. Null if it is not known. */
  move_in_date: string | null;
  /** The state of the references that name this application. */
  references: ApplicationReferences;
  /**
   * `open` until a decision. `approved` and `rejected` are decisions. `withdrawn`: the applicants gave
   * up. `converted`: its tenancy was signed.
   */
  status: 'open' | 'approved' | 'rejected' | 'withdrawn' | 'converted' | (string & {});
  /** The decision. Null while there is none. */
  decision: ApplicationDecision | null;
  /** The review of a rejection by a person. Null if the applicants did not ask for one. */
  review: ApplicationReview | null;
  /** The ids of its guarantors, the oldest first. */
  guarantors: Array<string | Guarantor>;
  /** The id of the signed tenancy that it led to. Null if there is none. */
  tenancy: string | null | Tenancy;
  /** The duties by law that are not met. */
  checks: Array<RaisedCheck>;
  /** When it was approved, in seconds since the Unix epoch. Null if it was not. */
  approved_at: number | null;
  /** When it was rejected, in seconds since the Unix epoch. Null if it was not. */
  rejected_at: number | null;
  /** When it was withdrawn, in seconds since the Unix epoch. Null if it was not. */
  withdrawn_at: number | null;
  /** When its tenancy was signed, in seconds since the Unix epoch. Null if none was. */
  converted_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

/** A part of a holding deposit that was applied. */
export interface AppliedPart {
  /** The id of the deposit that received it. Null for a payment. */
  deposit: string | null | Deposit;
  /** The id of the tenancy that it pays. Null for a deposit. */
  tenancy: string | null | Tenancy;
  /** In the smallest unit of the currency. */
  amount: number;
}

/**
 * A question to a person: may an agent do this, or may a workflow continue? A sensitive request of an
 * agent’s key gets 403 (`approval_required`) with the id of an approval request. A person decides in
 * the dashboard.
 */
export interface ApprovalRequest {
  /** The id of the approval request. */
  id: string;
  /** The kind of the object. */
  object: 'approval_request';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** `agent_request`: a request of an agent’s key. `workflow_step`: a step of a workflow. */
  type: ApprovalRequestType | (string & {});
  /**
   * `pending`: a person has to decide, within 24 hours. `approved`: the agent can send the request
   * within an hour. `executed`: it was executed. `rejected`: for an hour, the same request is refused.
   * `canceled`: the API key has taken it back.
   */
  status: ApprovalRequestStatus | (string & {});
  /** The action that waits for the approval, in a few words. */
  title: string;
  /** The run whose step waits. Null for a request of an agent. */
  workflow_run: string | null | WorkflowRun;
  /** The API key of the agent. Null for a step of a workflow. */
  api_key: string | null;
  /**
   * The customer that the request is about, so that an erasure finds it. Null if there is none. A
   * request that makes a customer has it once it is executed. A step of a workflow has the first
   * customer of its event.
   */
  customer: string | null | Customer | DeletedCustomer;
  /** The operation, as the API docs name it: `references_cancel`. Null for a step of a workflow. */
  operation: string | null;
  /** The HTTP method. Null for a step of a workflow. */
  method: string | null;
  /** The path. Null for a step of a workflow. */
  path: string | null;
  /**
   * The body as the agent sent it, without secrets. Null if there is none, or if its customer or record
   * was erased. Also null if you lack the permission to read records of its kind.
   */
  request_body: Record<string, unknown> | null;
  /** Why the agent wants this: the header `Service-Reason`. Null if it was not sent. */
  reason: string | null;
  /**
   * When it expires, in seconds since the Unix epoch. A pending request expires after 24 hours, and an
   * approved one an hour after the approval. Null for an approved step of a workflow.
   */
  expires_at: number | null;
  /** The user that has approved or rejected it. Null if a test helper of a sandbox has. */
  decided_by: string | null;
  /** When it was approved or rejected, in seconds since the Unix epoch. Null until then. */
  decided_at: number | null;
  /** The reason of the decision. Null if there is none. */
  decision_reason: string | null;
  /** The id of the request that was executed, and of its log. Null until then. */
  executed_request: string | null;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface ApprovalRequestList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<ApprovalRequest>;
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

/**
 * A line of money that came in, from a bank statement. The same money in two files is one line, and a
 * line becomes at most one payment. `POST /v1/payments/import` makes lines without an event for each:
 * `payment_import.created` announces them.
 */
export interface BankLine {
  /** The id of the bank line. */
  id: string;
  /** The kind of the object. */
  object: 'bank_line';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the import that made it. */
  import: string | PaymentImport;
  /** The number of its line in the file of that import. */
  line: number;
  /** The day on which the money came. */
  received_on: string;
  /** The amount, in the smallest unit of the currency. */
  amount: number;
  /** The currency (ISO 4217), in lower case. */
  currency: string;
  /** The reference that the bank shows. Null if there is none, or if its person was erased. */
  reference: string | null;
  /** The name of the payer as the bank writes it. Null if there is none, or if its person was erased. */
  payer_name: string | null;
  /**
   * `proposed` for the tenancy in `tenancy`, or `unmatched`. `confirmed`: it is the payment in
   * `payment`. `ignored`: it is no payment of a tenant.
   */
  status: BankLineStatus | (string & {});
  /**
   * The id of the proposed tenancy. After the confirmation, the id of the payment’s tenancy. Null if
   * there is none.
   */
  tenancy: string | null | Tenancy;
  /** The id of the person that paid. Null if the payer is not known. */
  customer: string | null | Customer | DeletedCustomer;
  /** What of the line fits the proposed tenancy. Empty if none is proposed, or if you chose another one. */
  matched_by: Array<BankLineEvidence | (string & {})>;
  /** The tenancies that an unmatched line may be for, the best first, at most 5. */
  candidates: Array<BankLineCandidate>;
  /** The id of its payment. Null until it is confirmed. It stays if the payment fails or goes back later. */
  payment: string | null | Payment;
  /** When it was confirmed, in seconds since the Unix epoch. Null until then. */
  confirmed_at: number | null;
  /** When it was ignored, in seconds since the Unix epoch. Null if it is not. */
  ignored_at: number | null;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
  /** True if its person was erased. Left out otherwise. */
  deleted?: true;
}

/** A tenancy that a line may be for. */
export interface BankLineCandidate {
  /** The id of the tenancy. */
  tenancy: string | Tenancy;
  /** The id of the person that paid. Null if the payer is not known. */
  customer: string | null;
  /** What of the line fits the tenancy. */
  matched_by: Array<BankLineEvidence | (string & {})>;
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

export interface BankLineList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<BankLine>;
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

export interface BuildingList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Building>;
}

/** A person: an applicant, a tenant, or a person that may become one. */
export interface Customer {
  /** The id of the customer. */
  id: string;
  /** The kind of the object. */
  object: 'customer';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The full name. */
  name: string;
  /** The e-mail address. Null if it is not known. */
  email: string | null;
  /** The phone number, as you sent it. Null if it is not known. */
  phone: string | null;
  /** The day of birth. Null if it is not known. */
  date_of_birth: string | null;
  /**
   * The current and earlier addresses, in the order in which you sent them. An update replaces all of
   * them.
   */
  addresses: Array<Address>;
  /** The check of the right to rent (Immigration Act 2014, s22). Null if none was recorded. */
  right_to_rent: RightToRent | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
 * Money that a landlord holds. A `holding` deposit reserves the home of an application, and goes back,
 * is applied or is retained. A `tenancy` deposit secures the duties of the tenants, is protected by a
 * scheme, and is released after the end.
 */
export interface Deposit {
  /** The id of the deposit. */
  id: string;
  /** The kind of the object. */
  object: 'deposit';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /**
   * `holding`: it reserves the home of an application. `tenancy`: it secures the duties of the tenants
   * of a tenancy.
   */
  type: DepositType | (string & {});
  /** The id of the application, for a holding deposit. Its unit must be a record of this account. */
  application: string | null | Application;
  /** The id of the tenancy, for a tenancy deposit. A draft will do. */
  tenancy: string | null | Tenancy;
  /** The id of the home. */
  unit: string | Unit;
  /** The amount that was agreed, in the smallest unit of the currency. */
  amount: number;
  /** The currency of the rent (ISO 4217), in lower case. */
  currency: string;
  /** The id of the person that pays it. Null if it is not known. */
  payer: string | null | Customer | DeletedCustomer;
  /** The part that has come, in the smallest unit of the currency. */
  amount_received: number;
  /** The part that was applied to another deposit or to rent, in the smallest unit of the currency. */
  amount_applied: number;
  /** The part that the landlord keeps, in the smallest unit of the currency. */
  amount_deducted: number;
  /** The part that went back, in the smallest unit of the currency. */
  amount_returned: number;
  /** The part that has come and is still there, in the smallest unit of the currency. */
  amount_held: number;
  /** The day on which its last part came. Null until all of its money has come. */
  received_on: string | null;
  /**
   * For a holding deposit: the last day for the decision of the landlord and the applicants. It is 14
   * days after the receipt, or the day that `extend` has set. Null until it is received.
   */
  decide_by: string | null;
  /**
   * The last day to return or apply a holding deposit. It is 6 days after the earliest of three days:
   * the signing, the refusal and `decide_by`.
   */
  repay_by: string | null;
  /**
   * The last day to protect a tenancy deposit and to inform the tenants. It is the thirtieth day, and
   * the day of the first money counts as the first. Null until then.
   */
  protect_by: string | null;
  /** The scheme that protects it. Null until it is protected. */
  scheme: DepositScheme | (string & {}) | null;
  /** Its reference in the scheme. Null until it is protected. */
  scheme_reference: string | null;
  /** The day on which the scheme protected it. Null until then. */
  protected_on: string | null;
  /** The id of the file with the certificate of the scheme. Null if there is none. */
  certificate: string | null | File;
  /** The day on which the tenants got the prescribed information. Null until then. */
  information_given_on: string | null;
  /** The id of the file with the prescribed information. Null if there is none. */
  file: string | null | File;
  /** The parts of a holding deposit that were applied, the oldest first. */
  applied_to: Array<AppliedPart>;
  /** What the landlord keeps of a tenancy deposit: proposed, or final once it is `settled`. */
  deductions: Array<DepositDeduction>;
  /** Why a holding deposit was kept. Null if it was not. */
  retention: DepositRetention | null;
  /** The dispute about its deductions. Null if there is none. */
  dispute: DepositDispute | null;
  /** The day on which money of it last went back. Null if none did. */
  returned_on: string | null;
  /** The duties by law that are not met. */
  checks: Array<RaisedCheck>;
  /**
   * `pending` until all of its money has come, then `received`. A tenancy deposit becomes `protected`,
   * `releasing` once deductions are proposed, and `disputed` if the tenants object. `settled`: nothing
   * is held any more.
   */
  status: DepositStatus | (string & {});
  /** When all of its money had come, in seconds since the Unix epoch. Null if it has not. */
  received_at: number | null;
  /** When it was last applied, in seconds since the Unix epoch. Null if it was not. */
  applied_at: number | null;
  /** When it was retained, in seconds since the Unix epoch. Null if it was not. */
  retained_at: number | null;
  /** When `return` was last called, in seconds since the Unix epoch. Null if it was not. */
  returned_at: number | null;
  /** When `protect` was called, in seconds since the Unix epoch. Null if it was not. */
  protected_at: number | null;
  /** When `give_information` was called, in seconds since the Unix epoch. Null if it was not. */
  information_given_at: number | null;
  /** When deductions were proposed, in seconds since the Unix epoch. Null if they were not. */
  release_proposed_at: number | null;
  /** When it was disputed, in seconds since the Unix epoch. Null if it was not. */
  disputed_at: number | null;
  /** When `release` was called, in seconds since the Unix epoch. Null if it was not. */
  released_at: number | null;
  /** When it was canceled, in seconds since the Unix epoch. Null if it was not. */
  canceled_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

/** A part of a deposit that the landlord keeps. */
export interface DepositDeduction {
  /** In the smallest unit of the currency. */
  amount: number;
  /** What it is for. */
  reason: DeductionReason | (string & {});
  /** The deduction in words. Null if there are none. */
  description: string | null;
  /** The id of the invoice that it pays. Null if it pays none. */
  invoice: string | null | Invoice;
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

export interface DepositList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Deposit>;
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

export interface EmailList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Email>;
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

/**
 * A document or a picture: the report of a reference, or evidence for one. It is a PDF, a JPEG or a
 * PNG. The server detects its size, hash and type from its bytes. `GET /v1/files/{id}/contents`
 * returns the bytes.
 */
export interface File {
  /** The id of the file. */
  id: string;
  /** The kind of the object. */
  object: 'file';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The purpose of the file. The report of a reference is a `reference_report`. */
  purpose: FilePurpose | (string & {});
  /** The filename that the sender gave it. */
  filename: string;
  /** The size in bytes. */
  size: number;
  /** The SHA-256 hash of the contents, in hex. */
  sha256: string;
  /** The type of the contents, detected from the bytes. */
  content_type: 'application/pdf' | 'image/jpeg' | 'image/png' | (string & {});
  /** The id of the person that sent the file in the portal. Null for any other file. */
  customer: string | null | Customer | DeletedCustomer;
  /**
   * The id of the reference for which the file is evidence. The erasure of the reference deletes the
   * file. Null if you sent none.
   */
  reference: string | null | Reference;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

/**
 * A link to one file, for a person without an account. For example, a landlord reads the report of an
 * applicant. `POST /v1/files/{id}/links` makes it. Its page says what was found, and has the file.
 */
export interface FileLink {
  /** The id of the file link. */
  id: string;
  /** The kind of the object. */
  object: 'file_link';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the file that it opens. */
  file: string | File;
  /**
   * The person that gets the link, in your own words, such as `Mr Okafor, landlord`. Null if you sent
   * none, and after the erasure of the file’s person.
   */
  recipient: string | null;
  /**
   * The address to which the link is sent by e-mail. Null if you sent none, and after the erasure of the
   * file’s person.
   */
  recipient_email: string | null;
  /**
   * The status of the e-mail with the link. `queued`: it is sent soon. `sent`: the mail server has
   * accepted it. `failed`: it could not be sent, so hand the link over or try again.
   */
  email_status: EmailStatus | (string & {}) | null;
  /** Why the e-mail could not be sent. Null unless it has failed. */
  email_failure: string | null;
  /** When it expires, in seconds since the Unix epoch. The clock of a sandbox does not move this time. */
  expires_at: number;
  /** When it was opened last, in seconds since the Unix epoch. Null if it was never opened. */
  opened_at: number | null;
  /** How often it was opened. A preview of the page does not count: a person presses a button. */
  open_count: number;
  /**
   * `active`: it opens the file. `revoked`: you have ended it, or the file was deleted. `expired`: its
   * time is over.
   */
  status: FileLinkStatus | (string & {});
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface FileLinkList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<FileLink>;
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

/**
 * A link to one file, for a person without an account. For example, a landlord reads the report of an
 * applicant. `POST /v1/files/{id}/links` makes it. Its page says what was found, and has the file.
 */
export interface FileLinkWithSecret {
  /** The id of the file link. */
  id: string;
  /** The kind of the object. */
  object: 'file_link';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the file that it opens. */
  file: string | File;
  /**
   * The person that gets the link, in your own words, such as `Mr Okafor, landlord`. Null if you sent
   * none, and after the erasure of the file’s person.
   */
  recipient: string | null;
  /**
   * The address to which the link is sent by e-mail. Null if you sent none, and after the erasure of the
   * file’s person.
   */
  recipient_email: string | null;
  /**
   * The status of the e-mail with the link. `queued`: it is sent soon. `sent`: the mail server has
   * accepted it. `failed`: it could not be sent, so hand the link over or try again.
   */
  email_status: EmailStatus | (string & {}) | null;
  /** Why the e-mail could not be sent. Null unless it has failed. */
  email_failure: string | null;
  /** When it expires, in seconds since the Unix epoch. The clock of a sandbox does not move this time. */
  expires_at: number;
  /** When it was opened last, in seconds since the Unix epoch. Null if it was never opened. */
  opened_at: number | null;
  /** How often it was opened. A preview of the page does not count: a person presses a button. */
  open_count: number;
  /**
   * `active`: it opens the file. `revoked`: you have ended it, or the file was deleted. `expired`: its
   * time is over.
   */
  status: FileLinkStatus | (string & {});
  /**
   * The link for the recipient. Only the response that makes the link has it. The token is behind the
   * `#`, so no server logs it.
   */
  url: string;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

/**
 * A person that pays if the tenants do not. A guarantor is referenced like an applicant: create a
 * reference with the same `application` and the guarantor’s `customer`.
 */
export interface Guarantor {
  /** The id of the guarantor. */
  id: string;
  /** The kind of the object. */
  object: 'guarantor';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the application. */
  application: string | Application;
  /** The id of the guarantor’s person: a customer of this API, or of your own system. It is no applicant. */
  customer: string | Customer | DeletedCustomer;
  /** The ids of the applicants that the guarantor stands for. Null means all. */
  guarantees: Array<string | Customer | DeletedCustomer> | null;
  /** The most that the guarantor pays. Null if there is no limit. */
  limit: Money | null;
  /** The id of the file with the deed of guarantee. Null if there is none. */
  file: string | null | File;
  /** The id of the newest reference of this person for this application. Null if there is none. */
  reference: string | null | Reference;
  /** The id of the signed tenancy of the application. Null if there is none. */
  tenancy: string | null | Tenancy;
  /** `proposed` until the guarantor has agreed or declined. `released`: the guarantee has ended. */
  status: GuarantorStatus | (string & {});
  /** The day of the agreement. Null if there is none. */
  agreed_on: string | null;
  /** The day of the release. Null if there was none. */
  released_on: string | null;
  /** When `agree` was called, in seconds since the Unix epoch. Null if it was not. */
  agreed_at: number | null;
  /** When it declined, in seconds since the Unix epoch. Null if it did not. */
  declined_at: number | null;
  /** When `release` was called, in seconds since the Unix epoch. Null if it was not. */
  released_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface GuarantorList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Guarantor>;
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

/**
 * A demand for money of the tenants of one tenancy. A draft is not owed. `finalize` gives it a number,
 * and adds it to the balance of the tenancy. Payments settle it.
 */
export interface Invoice {
  /** The id of the invoice. */
  id: string;
  /** The kind of the object. */
  object: 'invoice';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the tenancy that owes it. */
  tenancy: string | Tenancy;
  /** The lines. They add up to `total`. */
  lines: Array<InvoiceLine>;
  /** The last day on which it can be paid in time. */
  due_on: string;
  /** The id of the subscription that made it. Null if a request made it. */
  subscription: string | null | Subscription;
  /** The period of its subscription. Null if it has none. */
  period: InvoicePeriod | null;
  /** The ids of the tenants, who owe it jointly. */
  customers: Array<string | Customer | DeletedCustomer>;
  /** Its number: `INV-000001`. The numbers of an account have no gap. Null for a draft. */
  number: string | null;
  /** The currency of the rent (ISO 4217), in lower case. */
  currency: string;
  /** The sum of the lines, in the smallest unit of the currency. */
  total: number;
  /** The part that payments have settled, in the smallest unit of the currency. */
  amount_paid: number;
  /** The part that is not owed any more, in the smallest unit of the currency. */
  amount_credited: number;
  /** What is still to pay, in the smallest unit of the currency. */
  amount_due: number;
  /** The parts that are not owed any more, the oldest first. */
  credits: Array<InvoiceCredit>;
  /** Whether it is open, and `due_on` is past. */
  overdue: boolean;
  /** Why it is void. Null if it is not. */
  void_reason: string | null;
  /**
   * `draft`, then `open`: it is owed. `paid` once nothing is due. `void`: it was a mistake.
   * `uncollectible`: it is still owed, and counts as no arrears.
   */
  status: InvoiceStatus | (string & {});
  /** When it was finalized, in seconds since the Unix epoch. Null for a draft. */
  finalized_at: number | null;
  /** When it was paid, in seconds since the Unix epoch. Null if it is not. */
  paid_at: number | null;
  /** When it became void, in seconds since the Unix epoch. Null if it is not. */
  voided_at: number | null;
  /** When it became uncollectible, in seconds since the Unix epoch. Null if it did not. */
  marked_uncollectible_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

/** A line of an invoice. */
export interface InvoiceLine {
  /** What the line is for. The law permits few payments besides the rent. */
  type: InvoiceLineType | (string & {});
  /** The line in words. */
  description: string;
  /** In the smallest unit of the currency. It may be negative. */
  amount: number;
  /** The days that the line is for. Null if it is for none. */
  period: InvoicePeriod | null;
  /** The id of the invoice that this line is about, such as a late one for which it takes interest. */
  invoice: string | null | Invoice;
}

export interface InvoiceList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Invoice>;
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

/**
 * A line in the ledger of a tenancy. Finalized invoices add to the balance, and payments settle it.
 * Entries are never changed: a mistake gets an entry of its own. The sum of all amounts is the
 * `balance` of the tenancy.
 */
export interface LedgerEntry {
  /** The id of the ledger entry. */
  id: string;
  /** The kind of the object. */
  object: 'ledger_entry';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the tenancy. */
  tenancy: string | Tenancy;
  /** Its number in the tenancy: 1, 2, … without a gap. */
  sequence: number;
  /** The day of the finalization, of the receipt, or of the change. */
  date: string;
  /**
   * `invoice`: one was finalized. `void` and `credit` take it back, wholly or in part. `payment`: money
   * came. `payment_failed` and `refund`: it went back.
   */
  type: 'invoice' | 'void' | 'credit' | 'payment' | 'payment_failed' | 'refund' | (string & {});
  /** What it adds to the balance, in the smallest unit of the currency. Below 0, it settles. */
  amount: number;
  /** What the tenants owe after it, in the smallest unit of the currency. Below 0, they have credit. */
  balance: number;
  /** The id of its invoice. Null if it has none. */
  invoice: string | null | Invoice;
  /** The id of its payment. Null if it has none. */
  payment: string | null | Payment;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface LedgerEntryList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<LedgerEntry>;
}

/** The sender of invoices, statements and reports. */
export interface Letterhead {
  /** The name of the sender. */
  name: string;
  address: LetterheadAddress;
  /** The e-mail address for questions. Null if there is none. */
  email: string | null;
  /** The phone number for questions, as you sent it. Null if there is none. */
  phone: string | null;
  /** What the law requires on a letter, such as the number of a company. Null if there is nothing. */
  registration: string | null;
  /** The account to which tenants pay. Null if invoices name none. */
  bank: BankDetails | null;
  /**
   * The id of a file of the account: a JPEG or PNG. It stands at the head of reports, invoices and
   * statements, and on the pages of links. Null if there is none. The id stays when the file is deleted.
   * Then nothing is printed in its place.
   */
  logo?: string | null | File;
  /** The colour of buttons in the portal, such as `#1d4ed8`. Null for the portal’s own. */
  brand_color?: string | null;
}

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

/**
 * Money of the tenants of one tenancy, or of one deposit. That of a tenancy settles invoices, the
 * oldest due ones first. Tenure records money that you collect yourself, or has a payment gateway
 * collect it (`provider`).
 */
export interface Payment {
  /** The id of the payment. */
  id: string;
  /** The kind of the object. */
  object: 'payment';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the tenancy that it is for. Null if it is for a deposit. */
  tenancy: string | null | Tenancy;
  /** The id of the deposit that it is for. Null if it is for a tenancy. */
  deposit: string | null | Deposit;
  /** The amount, in the smallest unit of the currency. */
  amount: number;
  /** The currency of the rent or of the deposit (ISO 4217), in lower case. */
  currency: string;
  /**
   * The way in which the money came. `deposit` and `holding_deposit` are payments that `release` and
   * `apply` of a deposit make.
   */
  method: PaymentMethod | (string & {});
  /**
   * `pending` until the money is sure, then `succeeded`. `failed`: it did not come, or it bounced.
   * `refunded`: all of the money went back.
   */
  status: PaymentStatus | (string & {});
  /**
   * The day on which the money came. By default today. A `pending` payment has none: `succeed` sets it,
   * or the gateway does when it has taken the money.
   */
  received_on: string | null;
  /**
   * The payment gateway that collects the money. Null if you collect it yourself. By default, the
   * account’s `payment_provider` collects payments of a tenancy with the `method` `direct_debit` or
   * `card`.
   */
  provider: PaymentProvider | (string & {}) | null;
  /** The id of the person that paid. Null if it is not known. */
  customer: string | null | Customer | DeletedCustomer;
  /** The reference that the bank shows. Null if there is none. */
  reference: string | null;
  /** The invoices that it settles, at most 120. By default, the oldest due invoices are settled first. */
  allocations: Array<Allocation>;
  /** The part that settles invoices, in the smallest unit of the currency. */
  amount_allocated: number;
  /**
   * The part that settles no invoice yet, in the smallest unit of the currency. It settles the next one
   * that is finalized.
   */
  amount_unallocated: number;
  /** The part that went back, in the smallest unit of the currency. */
  amount_refunded: number;
  /** The refunds of the payment, the oldest first. A gateway may still have to send some of them. */
  refunds: Array<Refund>;
  /** Why it failed. Null if it did not. */
  failure: PaymentFailure | null;
  /** The id of the line of a bank statement that it was made from. Null if you recorded it yourself. */
  bank_line: string | null | BankLine;
  /** When it succeeded, in seconds since the Unix epoch. Null if it did not. */
  succeeded_at: number | null;
  /** When it failed, in seconds since the Unix epoch. Null if it did not. */
  failed_at: number | null;
  /** When it was canceled, in seconds since the Unix epoch. Null if it was not. */
  canceled_at: number | null;
  /**
   * When its gateway was asked to cancel it, in seconds since the Unix epoch. Null if it was not. The
   * gateway’s answer counts: the payment is `canceled`, or it succeeds or fails all the same.
   */
  cancel_requested_at: number | null;
  /** When all of the money had gone back, in seconds since the Unix epoch. Null if it has not. */
  refunded_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface PaymentImportList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<PaymentImport>;
}

export interface PaymentList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Payment>;
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

/** A tenant’s request to keep a pet. */
export interface PetRequest {
  /** Its number in the tenancy: 1, 2, … */
  number: number;
  /** The tenant that asks. */
  customer: string | Customer | DeletedCustomer;
  /** The pet, in the words of the tenant. */
  description: string;
  /** The day of the request. */
  requested_on: string;
  /** The last day for the landlord’s answer (Housing Act 1988, s16A). */
  answer_by: string;
  /**
   * `open` until the landlord answers. `information_asked`: the landlord waits for information from the
   * tenant.
   */
  status: 'open' | 'information_asked' | 'granted' | 'refused' | (string & {});
  /** The reason of the answer. A refusal has one. */
  reason: string | null;
}

/**
 * A session of a person in the portal: an applicant, a tenant or a guarantor. Its link opens once. The
 * session then lasts for an hour after the last request, and for eight hours at most. The person sees
 * its own records only.
 */
export interface PortalSession {
  /** The id of the portal session. */
  id: string;
  /** The kind of the object. */
  object: 'portal_session';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the person: a customer of this API. */
  customer: string | Customer | DeletedCustomer;
  /**
   * The parts of the portal that the person can use. `details`: contact details. `documents`: files.
   * `applications`: applications. `money`: ledger, invoices, payments and deposits. `notice`: notices.
   * `pets`: requests for pets.
   */
  features: Array<PortalFeature | (string & {})>;
  /**
   * The address of your page to which the portal leads back: https, or http on this machine. Null if
   * there is none.
   */
  return_url: string | null;
  /**
   * The status of the e-mail with the link. `queued`: it is sent soon. `sent`: the mail server has
   * accepted it. `failed`: it could not be sent, so hand the link over or try again.
   */
  email_status: EmailStatus | (string & {}) | null;
  /** Why the e-mail could not be sent. Null unless it has failed. */
  email_failure: string | null;
  /**
   * When the link expires, in seconds since the Unix epoch. The clock of a sandbox does not move this
   * time.
   */
  expires_at: number;
  /** When the link was opened, in seconds since the Unix epoch. Null if it was not. */
  opened_at: number | null;
  /** When it was ended, in seconds since the Unix epoch. Null if it was not, or ended by time. */
  ended_at: number | null;
  /**
   * `pending` until the link is opened, then `active`. `ended`: it was ended, its time is over, or the
   * link has expired.
   */
  status: PortalSessionStatus | (string & {});
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface PortalSessionList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<PortalSession>;
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

/**
 * A session of a person in the portal: an applicant, a tenant or a guarantor. Its link opens once. The
 * session then lasts for an hour after the last request, and for eight hours at most. The person sees
 * its own records only.
 */
export interface PortalSessionWithSecret {
  /** The id of the portal session. */
  id: string;
  /** The kind of the object. */
  object: 'portal_session';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the person: a customer of this API. */
  customer: string | Customer | DeletedCustomer;
  /**
   * The parts of the portal that the person can use. `details`: contact details. `documents`: files.
   * `applications`: applications. `money`: ledger, invoices, payments and deposits. `notice`: notices.
   * `pets`: requests for pets.
   */
  features: Array<PortalFeature | (string & {})>;
  /**
   * The address of your page to which the portal leads back: https, or http on this machine. Null if
   * there is none.
   */
  return_url: string | null;
  /**
   * The status of the e-mail with the link. `queued`: it is sent soon. `sent`: the mail server has
   * accepted it. `failed`: it could not be sent, so hand the link over or try again.
   */
  email_status: EmailStatus | (string & {}) | null;
  /** Why the e-mail could not be sent. Null unless it has failed. */
  email_failure: string | null;
  /**
   * When the link expires, in seconds since the Unix epoch. The clock of a sandbox does not move this
   * time.
   */
  expires_at: number;
  /** When the link was opened, in seconds since the Unix epoch. Null if it was not. */
  opened_at: number | null;
  /** When it was ended, in seconds since the Unix epoch. Null if it was not, or ended by time. */
  ended_at: number | null;
  /**
   * `pending` until the link is opened, then `active`. `ended`: it was ended, its time is over, or the
   * link has expired.
   */
  status: PortalSessionStatus | (string & {});
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /**
   * The link for the person. Only the response that creates the session has it. The token is behind the
   * `#`, so no server logs it.
   */
  url: string;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /**
   * The decision of a person or a key: its `outcome`, the party behind it, the time and the reason. Null
   * if only a service has set an outcome, or if there is none. A later decision replaces it.
   */
  decision: ReferenceDecision | null;
  /**
   * The id of the file with the report. Null if there is none. A decision makes a new report within
   * seconds, unless you attached a file of your own. The id stays when the file is deleted.
   */
  pdf: string | null | File;
  /** The ids of the files that `pdf` named before, the oldest first. It keeps the last 50. */
  earlier_reports: Array<string | File>;
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
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ReferencingProviderList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<ReferencingProvider>;
}

/**
 * What a legal duty keeps of an erased person. The deletion of a customer makes it, and `GET
 * /v1/customers/{id}/erasure` announces it. The data is encrypted, and no list, event or log shows it.
 * Only `reveal` returns it.
 */
export interface RetentionHold {
  /** The id of the retention hold. */
  id: string;
  /** The kind of the object. */
  object: 'retention_hold';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the erased person. */
  customer: string | Customer | DeletedCustomer;
  /** `right_to_rent`: the evidence of the right to rent. `accounts`: what explains the records of rent. */
  kind: RetentionHoldKind | (string & {});
  /** The law that requires it. */
  basis: string;
  /** The ids of the sealed files. No other operation finds these files any more. */
  files: Array<string>;
  /** The last day on which the data is kept. On the next day, the hold expires and is emptied for good. */
  until: string;
  /** `held`, or `expired` when the data is gone. */
  status: RetentionHoldStatus | (string & {});
  /** How often it was revealed. */
  reveals: number;
  /** When it was last revealed, in seconds since the Unix epoch. Null if it never was. */
  revealed_at: number | null;
  /** When it expired, in seconds since the Unix epoch. Null if it has not. */
  expired_at: number | null;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface RetentionHoldList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<RetentionHold>;
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

/**
 * What a legal duty keeps of an erased person. The deletion of a customer makes it, and `GET
 * /v1/customers/{id}/erasure` announces it. The data is encrypted, and no list, event or log shows it.
 * Only `reveal` returns it.
 */
export interface RetentionHoldWithSecret {
  /** The id of the retention hold. */
  id: string;
  /** The kind of the object. */
  object: 'retention_hold';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the erased person. */
  customer: string | Customer | DeletedCustomer;
  /** `right_to_rent`: the evidence of the right to rent. `accounts`: what explains the records of rent. */
  kind: RetentionHoldKind | (string & {});
  /** The law that requires it. */
  basis: string;
  /** The ids of the sealed files. No other operation finds these files any more. */
  files: Array<string>;
  /** The last day on which the data is kept. On the next day, the hold expires and is emptied for good. */
  until: string;
  /** `held`, or `expired` when the data is gone. */
  status: RetentionHoldStatus | (string & {});
  /** How often it was revealed. */
  reveals: number;
  /** When it was last revealed, in seconds since the Unix epoch. Null if it never was. */
  revealed_at: number | null;
  /** When it expired, in seconds since the Unix epoch. Null if it has not. */
  expired_at: number | null;
  /** The sealed data. Only the response of `reveal` has it. */
  content: RetentionHoldContent;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

/** A check of the right to rent in England. */
export interface RightToRent {
  /** Whether the right ends on a day. */
  status: 'unlimited' | 'time_limited' | (string & {});
  /** The day of the check. */
  checked_on: string;
  /** The last day of the right. Null if it has none. */
  expires_on: string | null;
  /** The ids of the files with the evidence. */
  files: Array<string | File>;
}

export interface SearchHit {
  /** The kind of the record. */
  type:
    | 'reference'
    | 'application'
    | 'unit'
    | 'tenancy'
    | 'deposit'
    | 'invoice'
    | 'payment'
    | 'bank_line'
    | 'customer'
    | (string & {});
  /** The id of the record. */
  id: string;
  /** A line that names the record, for people. */
  title: string;
  /** A second line, such as an e-mail address. Null if there is none. */
  subtitle: string | null;
  /**
   * The members with a word of the query, such as `name`. A member of a linked record has a path:
   * `unit.building.address.city`. The name of a link, such as `customer`, means that only the linked
   * record has the words.
   */
  matched: Array<string>;
  /** The record, as `GET /v1/<path>/{id}` returns it. */
  record: Reference | Application | Unit | Tenancy | Deposit | Invoice | Payment | BankLine | Customer;
}

export interface SearchResult {
  /** The kind of the object. */
  object: 'search_result';
  /** The query, as you sent it. */
  query: string;
  /**
   * The found records. First come records whose id begins with the query. Then come records with the
   * query as a phrase: `flat 4` does not match Flat 41. Then come all others, the newest first.
   */
  data: Array<SearchHit>;
  /** Whether more records match. Send a longer query to see them. */
  has_more: boolean;
  /**
   * All changes until this time are found, in seconds since the Unix epoch. Mostly that is now. Under
   * much load it is seconds earlier. Null while the first index of the account is being made.
   */
  indexed_until: number | null;
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
}

/**
 * Charges one tenancy in periods of weeks or months. It makes one finalized invoice for each period,
 * some days before that is due. It ends with the tenancy.
 */
export interface Subscription {
  /** The id of the subscription. */
  id: string;
  /** The kind of the object. */
  object: 'subscription';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the tenancy whose tenants are charged. */
  tenancy: string | Tenancy;
  /**
   * `rent`, of which a tenancy has one for each day, or a `service` beside it. A rent with an `end_date`
   * can have a successor that starts later.
   */
  type: SubscriptionType | (string & {});
  /**
   * The type of the lines of its invoices. For a rent, it is `rent`. For a service, it is `other` by
   * default.
   */
  line_type: InvoiceLineType | (string & {});
  /** The first words of its invoices. By default `Rent` or `Service`. */
  description: string | null;
  /**
   * The price of a full period. The default is the amount of the tenancy’s `rent`. A service has no
   * default.
   */
  amount: number;
  /** The currency of the rent (ISO 4217), in lower case. */
  currency: string;
  /** The unit of its periods. The default is the unit of the rent. */
  interval: 'week' | 'month' | (string & {});
  /** The number of weeks or months in a period. The default is the number of the rent. */
  interval_count: number;
  /**
   * The first day that is charged. The default is the first day of the tenancy. Tenure invoices past
   * periods at once.
   */
  start_date: string;
  /** The last day that is charged. Null if the subscription lasts until the tenancy ends. */
  end_date: string | null;
  /**
   * The day on which periods begin. In a month it is 1 to 31, and in a week 1 (Monday) to 7 (Sunday). A
   * shorter month has its last day instead. The default is the day of `start_date`.
   */
  anchor_day: number;
  /** The number of days from the first day of a period until its invoice is due. */
  due_after: number;
  /** The number of days from the invoice until it is due. No period is invoiced before the signature. */
  invoice_before: number;
  /** The amount of later periods. Null if it stays. */
  scheduled_change: ScheduledChange | null;
  /** The day on which a paused one goes on. Null if it is not paused, or waits for `resume`. */
  resume_on: string | null;
  /** The first day of the next period that is not invoiced. Null if there is none. */
  next_period_start: string | null;
  /**
   * The day on which Tenure makes the invoice of that period. Null if there is none, or while it is
   * paused.
   */
  next_invoice_on: string | null;
  /**
   * `scheduled` until its first day, then `active`. `paused`: Tenure skips periods that begin during the
   * pause. `ended` after its last day.
   */
  status: SubscriptionStatus | (string & {});
  /** When it became `active`, in seconds since the Unix epoch. Null until then. */
  activated_at: number | null;
  /** When it was paused, in seconds since the Unix epoch. Null if it is not. */
  paused_at: number | null;
  /** When it became `ended`, in seconds since the Unix epoch. Null until then. */
  ended_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface SubscriptionList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Subscription>;
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

/**
 * The let of a home to its tenants. A draft holds nothing. From `sign` on, it holds its unit from
 * `start_date` to `end_date`, both included. It starts and ends by itself when the day comes, in the
 * time zone of the account.
 */
export interface Tenancy {
  /** The id of the tenancy. */
  id: string;
  /** The kind of the object. */
  object: 'tenancy';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the home. */
  unit: string | Unit;
  /** The ids of the tenants, who are jointly liable. The first is the lead tenant. */
  customers: Array<string | Customer | DeletedCustomer>;
  /** The first day. */
  start_date: string;
  /** The last day. Null while it is unknown, which is until a notice. */
  end_date: string | null;
  /** The rent. */
  rent: TenancyRent;
  /** The kind of tenancy. An assured one is the usual let of a home to a person. */
  type: TenancyType | (string & {});
  /** The id of the application that led to it. Null if there was none. */
  application: string | null | Application;
  /** The id of the tenancy before it, of other tenants of the same home. Null if there is none. */
  replaces: string | null | Tenancy;
  /** The id of the file with the signed agreement. Null if there is none. */
  agreement: string | null | File;
  /**
   * The day on which the tenants got the written statement of terms (Housing Act 1988, s16D). Null if
   * they did not.
   */
  statement_given_on: string | null;
  /**
   * The day on which the rent last rose by a notice or a tribunal. Send it for a tenancy that began in
   * another system. Null if the rent never rose.
   */
  rent_increased_on: string | null;
  /** The ids of the guarantors that have agreed. */
  guarantors: Array<string | Guarantor>;
  /** The id of its deposit. Null if there is none. */
  deposit: string | null | Deposit;
  /** The law that applies, from the building. Null means that of the account, `rules.ruleset`. */
  jurisdiction: Jurisdiction | (string & {}) | null;
  /** The notice that was given. Null if there is none, or if it was withdrawn. */
  notice: TenancyNotice | null;
  /** How it ended. Null until it has ended. */
  end_reason:
    | 'notice'
    | 'expiry'
    | 'surrender'
    | 'possession_order'
    | 'abandonment'
    | 'death'
    | 'other'
    | (string & {})
    | null;
  /** Why it was canceled. Null if it was not, or if no reason was given. */
  cancel_reason: string | null;
  /** What the tenants owe, in the smallest unit of the currency of the rent. Below 0, they have credit. */
  balance: number;
  /** The unpaid amount of all overdue invoices, for rent or anything else. */
  arrears: Arrears;
  /** The tenants’ requests to keep a pet, the oldest first. */
  pet_requests: Array<PetRequest>;
  /** The day on which the agreement was signed. Null until then. */
  signed_on: string | null;
  /** The duties by law that are not met. */
  checks: Array<RaisedCheck>;
  /**
   * `draft`, then `signed`: it holds the home. `active` from its first day. `notice`: a notice was
   * given. `ended` after its last day. `canceled`: it never began.
   */
  status: TenancyStatus | (string & {});
  /** When `sign` was called, in seconds since the Unix epoch. Null until then. */
  signed_at: number | null;
  /** When it became `active`, in seconds since the Unix epoch. Null until then. */
  activated_at: number | null;
  /** When its notice was recorded, in seconds since the Unix epoch. Null if there is none. */
  notice_given_at: number | null;
  /** When it became `ended`, in seconds since the Unix epoch. Null until then. */
  ended_at: number | null;
  /** When it was canceled, in seconds since the Unix epoch. Null if it was not. */
  canceled_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface TenancyList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Tenancy>;
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

/**
 * A home that is let as a whole: a flat, a house or a room. Its `status` follows from its tenancies
 * and holding deposits, in the same transaction. No two tenancies hold a unit on the same day.
 */
export interface Unit {
  /** The id of the unit. */
  id: string;
  /** The kind of the object. */
  object: 'unit';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of its building. */
  building: string | Building;
  /** The name within the building, such as `Flat 2`. */
  name: string;
  /** The kind of the home. A house that is let by the room has a unit for each room. */
  type: UnitType | (string & {});
  /** The number of bedrooms. Null if it is not known. */
  bedrooms: number | null;
  /** The number of people that may live there. Null if it is not known. */
  max_occupants: number | null;
  /** The rent that is asked. Null if it is not known. */
  rent: Rent | null;
  /** Whether it is advertised. In England, an advertised home must have a `rent`. */
  on_market: boolean;
  /** Whether your team no longer lets it. An archived home is not on the market. */
  archived: boolean;
  /**
   * `occupied`: a tenancy has begun. `let_agreed`: one is signed that has not begun. `reserved`: a
   * holding deposit is held. `available`: none of these.
   */
  status: UnitStatus | (string & {});
  /** The id of the tenancy that holds it now, from its first day to its end. Null if there is none. */
  tenancy: string | null | Tenancy;
  /** The id of the tenancy that starts next. Null if there is none. */
  next_tenancy: string | null | Tenancy;
  /** The id of the holding deposit that reserves it. Null if there is none. */
  holding_deposit: string | null | Deposit;
  /**
   * The day after the last tenancy. Null if the end of that tenancy is unknown, or if the home was never
   * let.
   */
  available_on: string | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface UnitList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Unit>;
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

export interface WorkflowList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Workflow>;
}

/**
 * One run of a workflow. An event starts at most one run of each workflow. The run takes the steps of
 * the workflow as they were when it began.
 */
export interface WorkflowRun {
  /** The id of the workflow run. */
  id: string;
  /** The kind of the object. */
  object: 'workflow_run';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the workflow. */
  workflow: string | Workflow;
  /** The version of the workflow that it runs. */
  version: number;
  /** The id of the event that started it. */
  event: string;
  /** The place of the run in a chain of runs: 1 if no run caused its event. Above 5 a run is canceled. */
  depth: number;
  /** `running` or `waiting`, and at last `succeeded`, `failed` or `canceled`. */
  status: WorkflowRunStatus | (string & {});
  /** The steps that have begun. */
  steps: Array<WorkflowRunStep>;
  /** The approval request that its step waits for. Null if it waits for none. */
  approval_request: string | null | ApprovalRequest;
  /** Why the server has canceled it. Null if it has not. */
  canceled_reason: string | null;
  /** When it succeeded, in seconds since the Unix epoch. Null if it has not. */
  succeeded_at: number | null;
  /** When it failed, in seconds since the Unix epoch. Null if it has not. */
  failed_at: number | null;
  /** When it was canceled, in seconds since the Unix epoch. Null if it was not. */
  canceled_at: number | null;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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

export interface WorkflowRunList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  total_count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<WorkflowRun>;
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
   * Linked records to return instead of their ids: `data.application`, `data.customer`, `data.pdf`,
   * `data.earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to
   * read them.
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
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesRetrieveParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesUpdateParams {
  /** The verdict, from good to bad. You can correct it, but not remove it. */
  outcome?: Outcome | undefined;
  /**
   * Why you set this `outcome`, for the report and for `decision`. It can only be sent with an
   * `outcome`.
   */
  reason?: string | undefined;
  /** The id of the file with the report. You can replace it, but not remove it. */
  pdf?: string | undefined;
  /**
   * Moves a pending or processing reference to another service, or to a check by hand if `enabled` is
   * false. Tenure tells the former service to stop. Its later reports change nothing. A request that
   * names the present service changes nothing.
   */
  automatic_reference?: AutomaticReferenceInput | undefined;
  /** Send `processing` when you begin. Only for off-platform references. */
  status?: 'processing' | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesEraseParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesCancelParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesRetryParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesAdvanceParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesCompleteParams {
  /** The outcome. The default is the planned one. */
  outcome?: Outcome | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesFailParams {
  /**
   * The code of the error. The default is `provider_error`, a response with status 500.
   * `provider_timeout` is no response, so `last_error` begins with `timeout`. `provider_garbage` is
   * invalid JSON, so it begins with `response_invalid`.
   */
  code?: string | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesNoteParams {
  /** The text of the note. */
  message: string;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `pdf`, `earlier_reports`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
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
   * the `metadata`, the provider’s findings, the files of the report and the evidence.
   */
  erase(id: string, params?: ReferencesEraseParams, options?: RequestOptions): TenurePromise<Reference>;
  /**
   * Ends a pending or processing reference without an outcome. Later reports of a provider do not change
   * it.
   */
  cancel(id: string, params?: ReferencesCancelParams, options?: RequestOptions): TenurePromise<Reference>;
  /**
   * Asks the service anew within seconds, also if the server has given up after ten failures. Use it
   * when you have removed the cause that `last_error` names. Repeated requests do not reach the service
   * more often than every five seconds.
   */
  retry(id: string, params?: ReferencesRetryParams, options?: RequestOptions): TenurePromise<Reference>;
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
  /** Records the decision to let to these applicants. Then draft and sign a tenancy. */
  approve(id: string, params?: ApplicationsApproveParams, options?: RequestOptions): TenurePromise<Application>;
  /**
   * Records the decision not to let to these applicants, with its reasons. The applicants can ask for a
   * review by a person.
   */
  reject(id: string, params: ApplicationsRejectParams, options?: RequestOptions): TenurePromise<Application>;
  /** Records that the applicants gave up. */
  withdraw(id: string, params?: ApplicationsWithdrawParams, options?: RequestOptions): TenurePromise<Application>;
  /**
   * Records that the applicants want a person to review the rejection (UK GDPR, Articles 22A to 22D). A
   * rejection can be reviewed once.
   */
  requestReview(
    id: string,
    params?: ApplicationsRequestReviewParams,
    options?: RequestOptions,
  ): TenurePromise<Application>;
  /** Records the result of a review. A person must review, so an agent’s key is refused. */
  review(id: string, params: ApplicationsReviewParams, options?: RequestOptions): TenurePromise<Application>;
}

export interface GuarantorsResource {
  /** Returns the account’s guarantors, the newest first. */
  list(params?: GuarantorsListParams, options?: RequestOptions): ListPromise<Guarantor, GuarantorList>;
  /**
   * Proposes a guarantor for an application. Then create a reference of the guarantor’s person for the
   * same application.
   */
  create(params: GuarantorsCreateParams, options?: RequestOptions): TenurePromise<Guarantor>;
  /** Returns the guarantor as it is now. */
  retrieve(id: string, params?: GuarantorsRetrieveParams, options?: RequestOptions): TenurePromise<Guarantor>;
  /**
   * Sets the members that you send. All others stay as they are. After the proposal, you can only update
   * `file` and `metadata`.
   */
  update(id: string, params: GuarantorsUpdateParams, options?: RequestOptions): TenurePromise<Guarantor>;
  /** Deletes the guarantor. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedGuarantor>;
  /** The guarantor stands by the application, and by its tenancy. */
  agree(id: string, params: GuarantorsAgreeParams, options?: RequestOptions): TenurePromise<Guarantor>;
  /** The person does not become a guarantor. */
  decline(id: string, params?: GuarantorsDeclineParams, options?: RequestOptions): TenurePromise<Guarantor>;
  /** Ends a guarantee. */
  release(id: string, params: GuarantorsReleaseParams, options?: RequestOptions): TenurePromise<Guarantor>;
}

export interface BuildingsResource {
  /** Returns the account’s buildings, the newest first. */
  list(params?: BuildingsListParams, options?: RequestOptions): ListPromise<Building, BuildingList>;
  /** Creates a building. */
  create(params: BuildingsCreateParams, options?: RequestOptions): TenurePromise<Building>;
  /** Returns the building as it is now. */
  retrieve(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<Building>;
  /** Sets the members that you send. All others stay as they are. */
  update(id: string, params: BuildingsUpdateParams, options?: RequestOptions): TenurePromise<Building>;
  /** Deletes the building. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedBuilding>;
}

export interface UnitsResource {
  /** Returns the account’s units, the newest first. */
  list(params?: UnitsListParams, options?: RequestOptions): ListPromise<Unit, UnitList>;
  /** Creates a unit. */
  create(params: UnitsCreateParams, options?: RequestOptions): TenurePromise<Unit>;
  /** Returns the unit as it is now. */
  retrieve(id: string, params?: UnitsRetrieveParams, options?: RequestOptions): TenurePromise<Unit>;
  /**
   * Sets the members that you send. All others stay as they are. A home that a tenancy or a holding
   * deposit holds cannot be archived.
   */
  update(id: string, params: UnitsUpdateParams, options?: RequestOptions): TenurePromise<Unit>;
  /** Deletes the unit. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedUnit>;
}

export interface TenanciesResource {
  /** Returns the account’s tenancies, the newest first. */
  list(params?: TenanciesListParams, options?: RequestOptions): ListPromise<Tenancy, TenancyList>;
  /**
   * Creates a draft, which holds nothing. The unit, the application and the earlier tenancy must be
   * records of this account.
   */
  create(params: TenanciesCreateParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /** Returns the tenancy as it is now. */
  retrieve(id: string, params?: TenanciesRetrieveParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /**
   * Sets the members that you send. All others stay as they are. After the draft, you can only update
   * `agreement`, `statement_given_on` and `metadata`.
   */
  update(id: string, params: TenanciesUpdateParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /**
   * Makes a draft a signed tenancy. It holds its unit from now on, and converts its application. The law
   * of the day of signing applies: an `error` refuses, and a `warn` stands in `checks`.
   */
  sign(id: string, params: TenanciesSignParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /**
   * Records a notice of the tenants, of the landlord, or an agreement to end. After a notice of the
   * tenants or an agreement, the tenancy ends on `ends_on`. A notice of the tenants cannot end it later
   * than the `end_date` that was agreed.
   */
  giveNotice(id: string, params: TenanciesGiveNoticeParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /**
   * If the unit is still free, the tenancy continues as before the notice. Both sides must have agreed
   * in writing.
   */
  withdrawNotice(id: string, params: TenanciesWithdrawNoticeParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /**
   * Ends an active tenancy, or one in notice, on this day. Its unit is free from the next day on. Its
   * subscriptions end. Rent for later days is credited, and unpaid invoices of later periods become
   * void.
   */
  end(id: string, params: TenanciesEndParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /**
   * Cancels a draft, or a signed tenancy that has not begun. Its application can be let again. A tenancy
   * whose deposit is held cannot be canceled. A pending deposit is canceled with it.
   */
  cancel(id: string, params?: TenanciesCancelParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /**
   * Records that a tenant asks to keep a pet. The landlord has 28 days to answer. If the landlord asks
   * for information, the landlord has at least 7 days after the tenant has sent it.
   */
  requestPet(id: string, params: TenanciesRequestPetParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /** Records the landlord’s answer, or that the landlord asks for information. */
  answerPet(id: string, params: TenanciesAnswerPetParams, options?: RequestOptions): TenurePromise<Tenancy>;
  /** Returns the ledger of this tenancy, the newest first. */
  listLedger(
    id: string,
    params?: TenanciesListLedgerParams,
    options?: RequestOptions,
  ): ListPromise<LedgerEntry, LedgerEntryList>;
  /**
   * Returns the balance before a day, the entries of the ledger until another day, and the balance after
   * them. Entries come in the order of their days: money counts from the day on which it came. A
   * statement has at most 2000 entries.
   */
  retrieveStatement(
    id: string,
    params?: TenanciesRetrieveStatementParams,
    options?: RequestOptions,
  ): TenurePromise<Statement>;
  /**
   * Returns a PDF instead of JSON. Returns the balance before a day, the entries of the ledger until
   * another day, and the balance after them. Entries come in the order of their days: money counts from
   * the day on which it came.
   */
  retrieveStatementPdf(
    id: string,
    params?: TenanciesRetrieveStatementPdfParams,
    options?: RequestOptions,
  ): TenurePromise<Response>;
}

export interface DepositsResource {
  /** Returns the account’s deposits, the newest first. */
  list(params?: DepositsListParams, options?: RequestOptions): ListPromise<Deposit, DepositList>;
  /**
   * Records a deposit that was agreed. A holding deposit is of an `application`, and a tenancy deposit
   * of a `tenancy`. Then record the money that comes for it: create payments with its id in `deposit`.
   */
  create(params: DepositsCreateParams, options?: RequestOptions): TenurePromise<Deposit>;
  /** Returns the deposit as it is now. */
  retrieve(id: string, params?: DepositsRetrieveParams, options?: RequestOptions): TenurePromise<Deposit>;
  /**
   * Sets the members that you send. All others stay as they are. You can update the `amount` of a
   * pending deposit. Afterwards, you can update its `metadata`.
   */
  update(id: string, params: DepositsUpdateParams, options?: RequestOptions): TenurePromise<Deposit>;
  /** Records a later `decide_by` of a received holding deposit. `repay_by` follows. */
  extend(id: string, params: DepositsExtendParams, options?: RequestOptions): TenurePromise<Deposit>;
  /**
   * Moves money of a received holding deposit to a tenancy deposit, which receives it on the day of the
   * signing. Or pays what tenants owe, by a payment with the method `holding_deposit`.
   */
  apply(id: string, params: DepositsApplyParams, options?: RequestOptions): TenurePromise<Deposit>;
  /**
   * Records that the landlord keeps money of a received holding deposit, once. Return or apply the rest.
   * Once a tenancy of the application is signed, nothing can be retained.
   */
  retain(id: string, params: DepositsRetainParams, options?: RequestOptions): TenurePromise<Deposit>;
  /** Records that money of a holding deposit went back. Once nothing is held, it is `settled`. */
  return(id: string, params: DepositsReturnParams, options?: RequestOptions): TenurePromise<Deposit>;
  /**
   * Records that a scheme protects a tenancy deposit. Some of the money must have come, but a part may
   * be missing. The last day for the protection is `protect_by`.
   */
  protect(id: string, params: DepositsProtectParams, options?: RequestOptions): TenurePromise<Deposit>;
  /**
   * The tenants got the information about their deposit that the law prescribes. The last day for it is
   * `protect_by`.
   */
  giveInformation(id: string, params: DepositsGiveInformationParams, options?: RequestOptions): TenurePromise<Deposit>;
  /** Records what the landlord wants to keep. Without a dispute, the rest is due within 10 days. */
  proposeRelease(id: string, params: DepositsProposeReleaseParams, options?: RequestOptions): TenurePromise<Deposit>;
  /** The tenants object to proposed deductions. The scheme decides. Then call `release`. */
  dispute(id: string, params: DepositsDisputeParams, options?: RequestOptions): TenurePromise<Deposit>;
  /**
   * Ends a tenancy deposit. The landlord keeps the deductions, and the rest goes back. A deduction with
   * an `invoice` pays it, by a payment with the method `deposit`.
   */
  release(id: string, params: DepositsReleaseParams, options?: RequestOptions): TenurePromise<Deposit>;
  /** Ends a pending deposit that has received nothing. */
  cancel(id: string, params?: DepositsCancelParams, options?: RequestOptions): TenurePromise<Deposit>;
}

export interface SubscriptionsResource {
  /** Returns the account’s subscriptions, the newest first. */
  list(params?: SubscriptionsListParams, options?: RequestOptions): ListPromise<Subscription, SubscriptionList>;
  /**
   * Charges a signed tenancy in periods: one invoice for each, finalized by itself. What you leave out
   * is as in the tenancy’s `rent`. A first and a last period can be parts, and cost their share of the
   * days.
   */
  create(params: SubscriptionsCreateParams, options?: RequestOptions): TenurePromise<Subscription>;
  /** Returns the subscription as it is now. */
  retrieve(id: string, params?: SubscriptionsRetrieveParams, options?: RequestOptions): TenurePromise<Subscription>;
  /**
   * Sets the members that you send. All others stay as they are. You can update `description` and
   * `metadata`. Use `change_amount` for another amount.
   */
  update(id: string, params: SubscriptionsUpdateParams, options?: RequestOptions): TenurePromise<Subscription>;
  /**
   * Charges another amount from the first day of a later period on. On that day the `rent` of the
   * tenancy follows. Earlier periods without an invoice get one on that day, with the old amount.
   */
  changeAmount(
    id: string,
    params: SubscriptionsChangeAmountParams,
    options?: RequestOptions,
  ): TenurePromise<Subscription>;
  /** Leaves the amount as it is. It is too late once a period with the new amount is invoiced. */
  cancelChange(
    id: string,
    params?: SubscriptionsCancelChangeParams,
    options?: RequestOptions,
  ): TenurePromise<Subscription>;
  /**
   * Skips the periods that begin from now on, for good. A period that has begun is still invoiced, at
   * once.
   */
  pause(id: string, params?: SubscriptionsPauseParams, options?: RequestOptions): TenurePromise<Subscription>;
  /** Charges again, from the next period on that begins today or later. */
  resume(id: string, params?: SubscriptionsResumeParams, options?: RequestOptions): TenurePromise<Subscription>;
  /**
   * Charges no days after `end_date`. It ends when that day is past. A scheduled change of a later day
   * is canceled.
   */
  cancel(id: string, params?: SubscriptionsCancelParams, options?: RequestOptions): TenurePromise<Subscription>;
}

export interface InvoicesResource {
  /** Returns the account’s invoices, the newest first. */
  list(params?: InvoicesListParams, options?: RequestOptions): ListPromise<Invoice, InvoiceList>;
  /**
   * Creates a draft, which is not owed. With `finalize`, it is owed at once. Money that settles nothing
   * yet then settles it.
   */
  create(params: InvoicesCreateParams, options?: RequestOptions): TenurePromise<Invoice>;
  /** Returns the invoice as it is now. */
  retrieve(id: string, params?: InvoicesRetrieveParams, options?: RequestOptions): TenurePromise<Invoice>;
  /**
   * Sets the members that you send. All others stay as they are. Only a draft can change its lines and
   * its due date. Afterwards, you can update its `metadata`.
   */
  update(id: string, params: InvoicesUpdateParams, options?: RequestOptions): TenurePromise<Invoice>;
  /** Deletes the invoice. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedInvoice>;
  /** Gives the draft its number. From now on, the tenants owe it. */
  finalize(id: string, params?: InvoicesFinalizeParams, options?: RequestOptions): TenurePromise<Invoice>;
  /** Takes back a part of the invoice. It stays in the ledger with the credit beside it. */
  credit(id: string, params: InvoicesCreditParams, options?: RequestOptions): TenurePromise<Invoice>;
  /** Takes back an invoice that was a mistake. It keeps its number, so that the numbers have no gap. */
  void(id: string, params: InvoicesVoidParams, options?: RequestOptions): TenurePromise<Invoice>;
  /** The tenants still owe it, but it counts as no arrears. A payment can still settle it. */
  markUncollectible(
    id: string,
    params?: InvoicesMarkUncollectibleParams,
    options?: RequestOptions,
  ): TenurePromise<Invoice>;
  /**
   * Returns the invoice as a PDF to send to the tenants. It shows their names and their home, the
   * payments so far, and the `letterhead` of the account. It follows the state of the invoice: a draft
   * and a void invoice say so on each page.
   */
  pdf(id: string, options?: RequestOptions): TenurePromise<Response>;
}

export interface PaymentsResource {
  /** Returns the account’s payments, the newest first. */
  list(params?: PaymentsListParams, options?: RequestOptions): ListPromise<Payment, PaymentList>;
  /**
   * Records money that came, or with `status: pending` money that is on its way. It is for a `tenancy`
   * or for a `deposit`. With a `provider`, a payment gateway collects the money of a tenancy.
   */
  create(params: PaymentsCreateParams, options?: RequestOptions): TenurePromise<Payment>;
  /** Returns the payment as it is now. */
  retrieve(id: string, params?: PaymentsRetrieveParams, options?: RequestOptions): TenurePromise<Payment>;
  /** Sets the members that you send. All others stay as they are. */
  update(id: string, params: PaymentsUpdateParams, options?: RequestOptions): TenurePromise<Payment>;
  /**
   * The money of a pending payment came. It settles the oldest due invoices, or enters its deposit. A
   * gateway moves its own payments.
   */
  succeed(id: string, params?: PaymentsSucceedParams, options?: RequestOptions): TenurePromise<Payment>;
  /**
   * The money did not come, or it bounced. The invoices of this payment are open again. If the tenancy
   * has unallocated money, it settles the invoices with the earliest due dates. A gateway moves its own
   * payments.
   */
  fail(id: string, params: PaymentsFailParams, options?: RequestOptions): TenurePromise<Payment>;
  /**
   * Ends a pending payment whose money will not come. If a gateway collects the payment, Tenure asks the
   * gateway to cancel it. Until the gateway has canceled it or has taken the money, the payment stays
   * `pending`, with `cancel_requested_at`.
   */
  cancel(id: string, params?: PaymentsCancelParams, options?: RequestOptions): TenurePromise<Payment>;
  /** Replaces the invoices that the payment settles. */
  allocate(id: string, params: PaymentsAllocateParams, options?: RequestOptions): TenurePromise<Payment>;
  /**
   * Money of the payment went back. First what settles no invoice is used, then the newest allocations.
   * Other money of the tenancy that is free then settles the oldest due invoices.
   */
  refund(id: string, params: PaymentsRefundParams, options?: RequestOptions): TenurePromise<Payment>;
  /**
   * Send a form (`multipart/form-data`) with the field `file`: a bank statement as CSV, of up to 2,000
   * lines and 1 MB. Its first line names the columns `date`, `amount`, `reference` and `payer`, and
   * `currency` if it is not pounds.
   */
  import(params: PaymentsImportParams, options?: RequestOptions): TenurePromise<PaymentImport>;
}

export interface PaymentImportsResource {
  /** Returns the account’s payment imports, the newest first. */
  list(params?: PaymentImportsListParams, options?: RequestOptions): ListPromise<PaymentImport, PaymentImportList>;
  /** Returns the payment import as it is now. */
  retrieve(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<PaymentImport>;
}

export interface BankLinesResource {
  /** Returns the account’s bank lines, the newest first. */
  list(params?: BankLinesListParams, options?: RequestOptions): ListPromise<BankLine, BankLineList>;
  /** Returns the bank line as it is now. */
  retrieve(id: string, params?: BankLinesRetrieveParams, options?: RequestOptions): TenurePromise<BankLine>;
  /**
   * Erases the personal data of the bank line: in the bank line, in events and logs, and in stored
   * responses for an `Idempotency-Key`. You cannot undo this. Ids, amounts and times stay, and `deleted`
   * is true.
   */
  erase(id: string, params?: BankLinesEraseParams, options?: RequestOptions): TenurePromise<BankLine>;
  /**
   * Makes a payment from the line: a `bank_transfer` with the day, amount and reference of the line. It
   * settles the invoices with the earliest due dates.
   */
  confirm(id: string, params?: BankLinesConfirmParams, options?: RequestOptions): TenurePromise<BankLine>;
  /** Records that the money is no payment of a tenant, such as interest. */
  ignore(id: string, params?: BankLinesIgnoreParams, options?: RequestOptions): TenurePromise<BankLine>;
  /** The line was ignored, and waits for a decision again. */
  reopen(id: string, params?: BankLinesReopenParams, options?: RequestOptions): TenurePromise<BankLine>;
}

export interface CustomersResource {
  /** Returns the account’s customers, the newest first. */
  list(params?: CustomersListParams, options?: RequestOptions): ListPromise<Customer, CustomerList>;
  /** Creates a customer. */
  create(params: CustomersCreateParams, options?: RequestOptions): TenurePromise<Customer>;
  /** Returns the customer as it is now. */
  retrieve(
    id: string,
    params?: CustomersRetrieveParams,
    options?: RequestOptions,
  ): TenurePromise<Customer | DeletedCustomer>;
  /** Sets the members that you send. All others stay as they are. */
  update(id: string, params: CustomersUpdateParams, options?: RequestOptions): TenurePromise<Customer>;
  /**
   * Erases the person’s data everywhere: in the customer, events, logs, and stored responses for an
   * `Idempotency-Key`. It also erases the data in references and bank lines, and in texts of tenancies,
   * applications, deposits and payments.
   */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedCustomer>;
  /**
   * Returns what `DELETE /v1/customers/{id}` would do now. The response lists what it would delete, what
   * the law requires you to keep, and what prevents the erasure. It changes nothing.
   */
  retrieveErasure(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<ErasurePreview>;
}

export interface RetentionHoldsResource {
  /** Returns the account’s retention holds, the newest first. */
  list(params?: RetentionHoldsListParams, options?: RequestOptions): ListPromise<RetentionHold, RetentionHoldList>;
  /** Returns the retention hold as it is now. */
  retrieve(id: string, params?: RetentionHoldsRetrieveParams, options?: RequestOptions): TenurePromise<RetentionHold>;
  /**
   * Returns the hold with the sealed data as `content`. The log keeps the reason and the caller, but not
   * the data. For ten minutes, the same caller can download the files with `GET
   * /v1/retention_holds/{id}/contents`.
   */
  reveal(
    id: string,
    params: RetentionHoldsRevealParams,
    options?: RequestOptions,
  ): TenurePromise<RetentionHoldWithSecret>;
  /**
   * Returns the bytes of a file in a retention hold. The caller must have revealed the hold within the
   * last ten minutes: that request gives the reason.
   */
  contents(id: string, params: RetentionHoldsContentsParams, options?: RequestOptions): TenurePromise<Response>;
}

export interface FilesResource {
  /** Returns the account’s files, the newest first. */
  list(params?: FilesListParams, options?: RequestOptions): ListPromise<File, FileList>;
  /**
   * Send a form (`multipart/form-data`) with `purpose`, `file`, and `metadata[key]` for each pair. For
   * evidence, also send its `reference`. The file must be a PDF, a JPEG or a PNG. Its name and type do
   * not matter, only its bytes.
   */
  create(params: FilesCreateParams, options?: RequestOptions): TenurePromise<File>;
  /** Returns the file as it is now. */
  retrieve(id: string, params?: FilesRetrieveParams, options?: RequestOptions): TenurePromise<File>;
  /** Sets the members that you send. All others stay as they are. */
  update(id: string, params: FilesUpdateParams, options?: RequestOptions): TenurePromise<File>;
  /** Deletes the file. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedFile>;
  /**
   * Returns the bytes of the file as a download. It needs a permission of its own, because its contents
   * are more sensitive than its record.
   */
  contents(id: string, options?: RequestOptions): TenurePromise<Response>;
  /**
   * Makes a link with which a person without an account opens this file. The response has the `url` of
   * the link, which is never shown again. With `recipient_email`, the link is also sent by e-mail, and
   * `email_status` shows how that goes.
   */
  links(id: string, params?: FilesLinksParams, options?: RequestOptions): TenurePromise<FileLinkWithSecret>;
}

export interface FileLinksResource {
  /** Returns the account’s file links, the newest first. */
  list(params?: FileLinksListParams, options?: RequestOptions): ListPromise<FileLink, FileLinkList>;
  /** Returns the file link as it is now. */
  retrieve(id: string, params?: FileLinksRetrieveParams, options?: RequestOptions): TenurePromise<FileLink>;
  /** Ends the link: it opens nothing any more. To revoke it again changes nothing. */
  revoke(id: string, params?: FileLinksRevokeParams, options?: RequestOptions): TenurePromise<FileLink>;
}

export interface PortalSessionsResource {
  /** Returns the account’s portal sessions, the newest first. */
  list(params?: PortalSessionsListParams, options?: RequestOptions): ListPromise<PortalSession, PortalSessionList>;
  /**
   * Makes a link with which a person opens the portal once. The response has its `url`, which is never
   * shown again. With `send_email`, the link is also sent to the person by e-mail, and `email_status`
   * shows how that goes.
   */
  create(params: PortalSessionsCreateParams, options?: RequestOptions): TenurePromise<PortalSessionWithSecret>;
  /** Returns the portal session as it is now. */
  retrieve(id: string, params?: PortalSessionsRetrieveParams, options?: RequestOptions): TenurePromise<PortalSession>;
  /** Ends the session and its link at once. To end it again changes nothing. */
  end(id: string, params?: PortalSessionsEndParams, options?: RequestOptions): TenurePromise<PortalSession>;
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
   * Sends every event again that this endpoint should have received since then, but has not. The
   * endpoint missed an event if the delivery failed or was canceled, or if the endpoint was disabled at
   * that time.
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

export interface WorkflowsResource {
  /** Returns the account’s workflows, the newest first. */
  list(params?: WorkflowsListParams, options?: RequestOptions): ListPromise<Workflow, WorkflowList>;
  /**
   * Creates a draft. Everything that can be known before a run is checked. Your key also needs
   * `events.read`, and each permission that it gives to the workflow.
   */
  create(params: WorkflowsCreateParams, options?: RequestOptions): TenurePromise<WorkflowWithSecret>;
  /** Returns the workflow as it is now. */
  retrieve(
    id: string,
    params?: Record<string, never>,
    options?: RequestOptions,
  ): TenurePromise<Workflow | WorkflowWithSecret>;
  /**
   * Sets the members that you send. All others stay as they are. Changes the definition, whose `version`
   * grows. Runs that have begun keep their copy. Your key also needs `events.read`, and each permission
   * of the workflow.
   */
  update(id: string, params: WorkflowsUpdateParams, options?: RequestOptions): TenurePromise<Workflow>;
  /** Deletes the workflow. Events and logs still name it. */
  delete(id: string, options?: RequestOptions): TenurePromise<DeletedWorkflow>;
  /**
   * Events that follow start runs. Events from before do not. Your key also needs `events.read`, and
   * each permission of the workflow.
   */
  activate(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<Workflow>;
  /** Events start no runs until you activate it again. Runs that have begun continue. */
  pause(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<Workflow>;
  /** Ends it for good. Runs that have begun continue. Delete a draft instead. */
  archive(id: string, params?: Record<string, never>, options?: RequestOptions): TenurePromise<Workflow>;
  /**
   * Returns what the workflow would do for an event of your account: whether the event matches, and what
   * each step would send. Nothing is sent or changed, and the workflow need not be active.
   */
  test(id: string, params: WorkflowsTestParams, options?: RequestOptions): TenurePromise<WorkflowTest>;
}

export interface WorkflowRunsResource {
  /** Returns the account’s workflow runs, the newest first. */
  list(params?: WorkflowRunsListParams, options?: RequestOptions): ListPromise<WorkflowRun, WorkflowRunList>;
  /** Returns the workflow run as it is now. */
  retrieve(id: string, params?: WorkflowRunsRetrieveParams, options?: RequestOptions): TenurePromise<WorkflowRun>;
  /**
   * Takes no further step. The effects of earlier steps stay. An approval request that it waits for is
   * canceled.
   */
  cancel(id: string, params?: WorkflowRunsCancelParams, options?: RequestOptions): TenurePromise<WorkflowRun>;
  /** Takes the failed step again, and then the steps after it. Earlier steps are not repeated. */
  retry(id: string, params?: WorkflowRunsRetryParams, options?: RequestOptions): TenurePromise<WorkflowRun>;
}

export interface AccountResource {
  /** Returns the account of your key, or the one in `Service-Context`. */
  retrieve(params?: AccountRetrieveParams, options?: RequestOptions): TenurePromise<Account>;
  /**
   * Sets the members that you send. All others stay as they are. `provider_credentials` is stored
   * encrypted, and no response, event or log shows it. The credentials that you send for a provider
   * replace its earlier ones, and null removes them.
   */
  update(params: AccountUpdateParams, options?: RequestOptions): TenurePromise<Account>;
  /**
   * From now on, requests without `Service-Version` have this version. It must be newer than the
   * account’s. You can roll the upgrade back within 72 hours. The response takes a second, so that the
   * upgrade is effective in every process.
   */
  apiVersion(params: AccountApiVersionParams, options?: RequestOptions): TenurePromise<Account>;
  /** Returns the account to the version it had before its last upgrade, until `rollback_until`. */
  apiVersionRollback(params?: AccountApiVersionRollbackParams, options?: RequestOptions): TenurePromise<Account>;
  /**
   * Shows which of the account’s last 100 requests and events would differ in another version, and how.
   * It also shows which requests would be refused. GET requests are not logged, so they are not
   * compared.
   */
  apiVersionPreview(
    params?: AccountApiVersionPreviewParams,
    options?: RequestOptions,
  ): TenurePromise<ApiVersionPreview>;
}

export interface AccountsResource {
  /** Returns the account’s accounts, the newest first. */
  list(params?: AccountsListParams, options?: RequestOptions): ListPromise<Account, AccountList>;
  /**
   * Creates an account that is connected to your own. It has no keys: act for it with `Service-Context`.
   * If this header names a connected account, the creation fails, because your key could not act on the
   * new account.
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

export interface ApprovalRequestsResource {
  /** Returns the account’s approval requests, the newest first. */
  list(
    params?: ApprovalRequestsListParams,
    options?: RequestOptions,
  ): ListPromise<ApprovalRequest, ApprovalRequestList>;
  /** Returns the approval request as it is now. */
  retrieve(
    id: string,
    params?: ApprovalRequestsRetrieveParams,
    options?: RequestOptions,
  ): TenurePromise<ApprovalRequest>;
  /**
   * Approves a pending request. The agent can send its request within an hour, and it is executed once.
   * A step of a workflow continues. Only a person approves, who has confirmed its identity in the last
   * 15 minutes.
   */
  approve(id: string, params?: ApprovalRequestsApproveParams, options?: RequestOptions): TenurePromise<ApprovalRequest>;
  /**
   * Rejects a pending request. For an hour, the same request of the agent gets 403 (`approval_rejected`)
   * with your reason. Only a person rejects, who has confirmed its identity in the last 15 minutes.
   */
  reject(id: string, params?: ApprovalRequestsRejectParams, options?: RequestOptions): TenurePromise<ApprovalRequest>;
  /** Takes a pending request back. Only the API key that made it can. */
  cancel(id: string, params?: ApprovalRequestsCancelParams, options?: RequestOptions): TenurePromise<ApprovalRequest>;
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
   * again. If `email_status` is null, hand the link over yourself. A newer invitation of the same
   * address revokes this one.
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
   * `last_error` begins with the code. With the default, the service responds with status 500, so
   * `last_error` begins with `unavailable`.
   */
  fail(id: string, params?: TestHelpersReferencesFailParams, options?: RequestOptions): TenurePromise<Reference>;
  /** The simulated service adds this note. Only `provider_a` shows notes during a check. */
  note(id: string, params: TestHelpersReferencesNoteParams, options?: RequestOptions): TenurePromise<Reference>;
}

export interface TestHelpersPaymentsResource {
  /**
   * The simulated gateway takes the money of a pending payment at once, and sends the money of pending
   * refunds. You can call this right after you create the payment. The response shows the effect.
   */
  succeed(id: string, params?: TestHelpersPaymentsSucceedParams, options?: RequestOptions): TenurePromise<Payment>;
  /**
   * The simulated gateway cannot collect a pending payment, or takes back one that succeeded: it
   * bounces. You can call this right after you create the payment. The response shows the effect.
   */
  fail(id: string, params?: TestHelpersPaymentsFailParams, options?: RequestOptions): TenurePromise<Payment>;
}

export interface TestHelpersApprovalRequestsResource {
  /**
   * Sandbox only. Approves a pending request in the place of a person, for tests without a browser. No
   * key of an agent can.
   */
  approve(
    id: string,
    params?: TestHelpersApprovalRequestsApproveParams,
    options?: RequestOptions,
  ): TenurePromise<ApprovalRequest>;
  /**
   * Sandbox only. Rejects a pending request in the place of a person, for tests without a browser. No
   * key of an agent can.
   */
  reject(
    id: string,
    params?: TestHelpersApprovalRequestsRejectParams,
    options?: RequestOptions,
  ): TenurePromise<ApprovalRequest>;
}

export interface TestHelpersEmailsResource {
  /**
   * Sandbox only. Returns the account’s e-mails, the newest first. A sandbox sends none of them. It
   * keeps the newest 1,000 of an account, up to 8 MB, for 30 days.
   */
  list(params?: TestHelpersEmailsListParams, options?: RequestOptions): ListPromise<Email, EmailList>;
}

export interface TestHelpersResource {
  references: TestHelpersReferencesResource;
  payments: TestHelpersPaymentsResource;
  approvalRequests: TestHelpersApprovalRequestsResource;
  emails: TestHelpersEmailsResource;
  clock: TestHelpersClockResource;
}

export interface ReferencingProvidersResource {
  /**
   * Returns the services that check people, and whether the account can order references from each. All
   * are on one page.
   */
  list(
    params?: Record<string, never>,
    options?: RequestOptions,
  ): ListPromise<ReferencingProvider, ReferencingProviderList>;
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
