// `npm run sdk` generates this file from `openapi/`. Do not edit it.

import type { EventStream } from '../event-stream.ts';
import type { ListPromise } from '../lists.ts';
import type { RequestOptions, TenurePromise } from '../transport.ts';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Account>;
}

/** The rules of an account. */
export interface AccountRules {
  /** The ruleset of the account. `none` has no checks. */
  ruleset: RulesetId | (string & {});
  /**
   * Other severities, by the id of a check: `error` refuses, `warn` keeps a warning, `off` does not
   * judge.
   */
  checks: {
    /** A unit on the market states its rent. */
    rent_stated?: CheckSeverity | (string & {});
    /** No rent is above the lowest rent asked since the unit came on the market. */
    rent_bid?: CheckSeverity | (string & {});
    /** An assured tenancy has no fixed term. It has no end until a notice or another end. */
    periodic_only?: CheckSeverity | (string & {});
    /** A rent period of an assured tenancy is one month, or at most four weeks. */
    rent_period?: CheckSeverity | (string & {});
    /** The tenants get a written statement of terms by the day on which the tenancy is signed. */
    statement_of_terms?: CheckSeverity | (string & {});
    /** The right to rent of every tenant is checked and recorded. */
    right_to_rent?: CheckSeverity | (string & {});
    /**
     * A tenant gives two months’ notice, or less if the landlord agrees in writing. It ends with a rent
     * period or on the next rent day.
     */
    tenant_notice?: CheckSeverity | (string & {});
    /**
     * A landlord’s notice names grounds of Schedule 2, and is as long as the longest period of these
     * grounds. Grounds 1 and 1A need a tenancy of one year at its end.
     */
    landlord_notice?: CheckSeverity | (string & {});
    /** A tenant’s request to keep a pet gets its answer by the day in `answer_by`. */
    pet_answer?: CheckSeverity | (string & {});
    /** No rent is demanded or paid before the tenancy is signed. */
    rent_before_signing?: CheckSeverity | (string & {});
    /** No rent is due before its period begins, except for the first days of the tenancy. */
    rent_in_advance?: CheckSeverity | (string & {});
    /** Rent rises only by a notice of two months, once in 52 weeks, or by a tribunal. */
    rent_increase?: CheckSeverity | (string & {});
    /** No payment is demanded that the law does not permit. */
    permitted_payment?: CheckSeverity | (string & {});
    /** Interest is demanded only for rent that has been unpaid for 14 days. The rate is not checked. */
    late_interest?: CheckSeverity | (string & {});
    /** A holding deposit is at most the rent of one week. */
    holding_cap?: CheckSeverity | (string & {});
    /** A landlord holds one holding deposit at a time for a home. */
    holding_single?: CheckSeverity | (string & {});
    /** A holding deposit is returned, applied or retained by the day in `repay_by`. */
    holding_deadline?: CheckSeverity | (string & {});
    /** Nothing of a holding deposit is retained once the tenancy is signed. It is returned or applied. */
    holding_retention?: CheckSeverity | (string & {});
    /** A deposit is at most the rent of five weeks, or of six from 50,000 pounds a year on. */
    deposit_cap?: CheckSeverity | (string & {});
    /** A deposit is protected by a scheme within 30 days, by the day in `protect_by`. */
    deposit_protection?: CheckSeverity | (string & {});
    /** The tenants get the prescribed information within 30 days, by the day in `protect_by`. */
    deposit_information?: CheckSeverity | (string & {});
    /**
     * Before a landlord’s notice, the deposit is protected and the tenants are informed about it. Grounds
     * 7A and 14 need neither.
     */
    possession_deposit?: CheckSeverity | (string & {});
    /** A deposit is returned within 10 days of a proposal that is not disputed. */
    deposit_return?: CheckSeverity | (string & {});
  };
}

/** A change of the rules of an account. */
export interface AccountRulesInput {
  /** The ruleset of the account. `none` has no checks. */
  ruleset?: RulesetId | undefined;
  /**
   * Other severities, by the id of a check. Null returns a check to its own severity. Checks that you
   * leave out stay.
   */
  checks?:
    | {
        /** A unit on the market states its rent. */
        rent_stated?: CheckSeverity | null | undefined;
        /** No rent is above the lowest rent asked since the unit came on the market. */
        rent_bid?: CheckSeverity | null | undefined;
        /** An assured tenancy has no fixed term. It has no end until a notice or another end. */
        periodic_only?: CheckSeverity | null | undefined;
        /** A rent period of an assured tenancy is one month, or at most four weeks. */
        rent_period?: CheckSeverity | null | undefined;
        /** The tenants get a written statement of terms by the day on which the tenancy is signed. */
        statement_of_terms?: CheckSeverity | null | undefined;
        /** The right to rent of every tenant is checked and recorded. */
        right_to_rent?: CheckSeverity | null | undefined;
        /**
         * A tenant gives two months’ notice, or less if the landlord agrees in writing. It ends with a rent
         * period or on the next rent day.
         */
        tenant_notice?: CheckSeverity | null | undefined;
        /**
         * A landlord’s notice names grounds of Schedule 2, and is as long as the longest period of these
         * grounds. Grounds 1 and 1A need a tenancy of one year at its end.
         */
        landlord_notice?: CheckSeverity | null | undefined;
        /** A tenant’s request to keep a pet gets its answer by the day in `answer_by`. */
        pet_answer?: CheckSeverity | null | undefined;
        /** No rent is demanded or paid before the tenancy is signed. */
        rent_before_signing?: CheckSeverity | null | undefined;
        /** No rent is due before its period begins, except for the first days of the tenancy. */
        rent_in_advance?: CheckSeverity | null | undefined;
        /** Rent rises only by a notice of two months, once in 52 weeks, or by a tribunal. */
        rent_increase?: CheckSeverity | null | undefined;
        /** No payment is demanded that the law does not permit. */
        permitted_payment?: CheckSeverity | null | undefined;
        /** Interest is demanded only for rent that has been unpaid for 14 days. The rate is not checked. */
        late_interest?: CheckSeverity | null | undefined;
        /** A holding deposit is at most the rent of one week. */
        holding_cap?: CheckSeverity | null | undefined;
        /** A landlord holds one holding deposit at a time for a home. */
        holding_single?: CheckSeverity | null | undefined;
        /** A holding deposit is returned, applied or retained by the day in `repay_by`. */
        holding_deadline?: CheckSeverity | null | undefined;
        /** Nothing of a holding deposit is retained once the tenancy is signed. It is returned or applied. */
        holding_retention?: CheckSeverity | null | undefined;
        /** A deposit is at most the rent of five weeks, or of six from 50,000 pounds a year on. */
        deposit_cap?: CheckSeverity | null | undefined;
        /** A deposit is protected by a scheme within 30 days, by the day in `protect_by`. */
        deposit_protection?: CheckSeverity | null | undefined;
        /** The tenants get the prescribed information within 30 days, by the day in `protect_by`. */
        deposit_information?: CheckSeverity | null | undefined;
        /**
         * Before a landlord’s notice, the deposit is protected and the tenants are informed about it. Grounds
         * 7A and 14 need neither.
         */
        possession_deposit?: CheckSeverity | null | undefined;
        /** A deposit is returned within 10 days of a proposal that is not disputed. */
        deposit_return?: CheckSeverity | null | undefined;
      }
    | undefined;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface Activity {
  /** The kind of the object. */
  object: 'activity';
  /** The length of each interval. */
  interval: ActivityInterval | (string & {});
  /** The begin of the first interval, in seconds since the Unix epoch. */
  since: number;
  /** The end of the last interval, in seconds since the Unix epoch. */
  until: number;
  /** Every interval, the oldest first. */
  data: Array<ActivityPoint>;
  /** How long the latest requests and attempts took, whenever they were. */
  latency: {
    /** The last 1,000 logged requests. Null with `webhook_endpoint`. */
    requests: Latency | null;
    /** The last 1,000 attempts of the newest deliveries. */
    attempts: Latency;
  };
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
}

/** The length of an interval. */
export type ActivityInterval = 'minute' | 'hour' | 'day';

/** The counts of an interval. */
export interface ActivityPoint {
  /** The begin of the interval, in seconds since the Unix epoch. */
  start: number;
  /**
   * The logged requests by the class of their status: POST and DELETE. Those with 401 or 429, and most
   * with 503, have no log. Null with `webhook_endpoint`.
   */
  requests: {
    /** Requests that succeeded. */
    '2xx': number;
    /** Requests that were refused. */
    '4xx': number;
    /** Requests that failed. */
    '5xx': number;
  } | null;
  /** The number of events. Null with `webhook_endpoint`. */
  events: number | null;
  /** The attempts to deliver events, by the time when they began. */
  attempts: {
    /** Attempts that delivered an event. */
    delivered: number;
    /** Attempts that failed, even if a later one succeeded. */
    failed: number;
  };
}

/** The party that made a request. */
export interface Actor {
  /**
   * `user`: a team member. `api_key`: a secret or restricted key. `agent`: an agent key. `system`: the
   * server itself.
   */
  type: ActorType | (string & {});
  /** The id of the user or the key. Null for `system`. */
  id: string | null;
  /** The e-mail address of the user, or the name of the key. Null if the key has none. */
  name: string | null;
  /** The id of the API key. Null if the request used none. */
  key_id: string | null;
  /** The kind of the API key. Null if the request used none. */
  key_type: ApiKeyType | (string & {}) | null;
}

/** The kind of an actor. */
export type ActorType = 'user' | 'api_key' | 'agent' | 'system';

/** An address of a person. */
export interface Address {
  /** House and street. */
  line1: string;
  /** The second line. Null if there is none. */
  line2: string | null;
  /** Town or city. */
  city: string;
  /** The postal code, as it is written in the country. */
  postal_code: string;
  /** ISO 3166-1 alpha-2, such as `GB`. */
  country: string;
  /** The first day there. Null if it is not known. */
  from: string | null;
  /** The last day there. Null if the person still lives there, or if it is not known. */
  to: string | null;
}

/** An address of a person. */
export interface AddressInput {
  /** House and street. */
  line1: string;
  /** The second line. Null if there is none. */
  line2?: string | null | undefined;
  /** Town or city. */
  city: string;
  /** The postal code, as it is written in the country. */
  postal_code: string;
  /** ISO 3166-1 alpha-2, such as `GB`. */
  country: string;
  /** The first day there. Null if it is not known. */
  from?: string | null | undefined;
  /** The last day there. Null if the person still lives there, or if it is not known. */
  to?: string | null | undefined;
}

/** The share of the rent in the income of a person. */
export interface Affordability {
  /** The rent as a share of verified gross income, in percent. Null if it is not known. */
  percentage: number | null;
  /** The provider’s term for it. Null if there is none yet. */
  status: string | null;
}

/** A part of a payment that settles an invoice. */
export interface Allocation {
  /** The id of the invoice. */
  invoice: string | Invoice;
  /** In the smallest unit of the currency. */
  amount: number;
}

/** A part of a payment that settles an invoice. */
export interface AllocationInput {
  /** The id of the invoice. */
  invoice: string;
  /** In the smallest unit of the currency. */
  amount: number;
}

/**
 * A credential for the API. A `secret` key is for your server, and a `restricted` key for one job. An
 * `agent` key is for a program that acts by itself. It has a name and an expiry time, and cannot
 * create keys.
 */
export interface ApiKey {
  /** The id of the API key. */
  id: string;
  /** The kind of the object. */
  object: 'api_key';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** `secret`: for your server. `restricted`: for one job. `agent`: for a program that acts by itself. */
  type: ApiKeyType | (string & {});
  /** The purpose of the key, shown in events and logs. Null if it has none. An agent key always has one. */
  name: string | null;
  /**
   * Its permissions: `<resource>.read`, or `<resource>.write`, which includes reading. A key cannot
   * grant a permission that it does not have.
   */
  permissions: Array<string>;
  /** The last four characters of the key, to identify it. */
  last_four: string;
  /**
   * When it expires, in seconds since the Unix epoch. Null if it does not. An agent key expires after 30
   * days by default, and after 90 at most. No key expires later than the key that creates or rolls it.
   */
  expires_at: number | null;
  /**
   * When it was last used, to the minute, in seconds since the Unix epoch. Null if never. It is updated
   * every few seconds.
   */
  last_used_at: number | null;
  /**
   * The id of the API key or the user that created it, or rolled the key before it. Null if a command of
   * the server created it.
   */
  created_by: string | null;
  /**
   * Which requests of an agent key wait for a person. `sensitive`: cancellations, outcomes, checks by a
   * provider, gateway payments, refunds, deletions, and changes of webhook endpoints. `all_writes`:
   * every POST and DELETE. `none`: no request.
   */
  approvals: ApprovalPolicy | (string & {}) | null;
  /** `active`, `expired` (also after a roll) or `revoked`. */
  status: ApiKeyStatus | (string & {});
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ApiKeyList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<ApiKey>;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The status of an API key. */
export type ApiKeyStatus = 'active' | 'expired' | 'revoked';

/** The kind of an API key. */
export type ApiKeyType = 'secret' | 'restricted' | 'agent';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/**
 * A credential for the API. A `secret` key is for your server, and a `restricted` key for one job. An
 * `agent` key is for a program that acts by itself. It has a name and an expiry time, and cannot
 * create keys.
 */
export interface ApiKeyWithSecret {
  /** The id of the API key. */
  id: string;
  /** The kind of the object. */
  object: 'api_key';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** `secret`: for your server. `restricted`: for one job. `agent`: for a program that acts by itself. */
  type: ApiKeyType | (string & {});
  /** The purpose of the key, shown in events and logs. Null if it has none. An agent key always has one. */
  name: string | null;
  /**
   * Its permissions: `<resource>.read`, or `<resource>.write`, which includes reading. A key cannot
   * grant a permission that it does not have.
   */
  permissions: Array<string>;
  /** The last four characters of the key, to identify it. */
  last_four: string;
  /**
   * When it expires, in seconds since the Unix epoch. Null if it does not. An agent key expires after 30
   * days by default, and after 90 at most. No key expires later than the key that creates or rolls it.
   */
  expires_at: number | null;
  /**
   * When it was last used, to the minute, in seconds since the Unix epoch. Null if never. It is updated
   * every few seconds.
   */
  last_used_at: number | null;
  /**
   * The id of the API key or the user that created it, or rolled the key before it. Null if a command of
   * the server created it.
   */
  created_by: string | null;
  /**
   * Which requests of an agent key wait for a person. `sensitive`: cancellations, outcomes, checks by a
   * provider, gateway payments, refunds, deletions, and changes of webhook endpoints. `all_writes`:
   * every POST and DELETE. `none`: no request.
   */
  approvals: ApprovalPolicy | (string & {}) | null;
  /** `active`, `expired` (also after a roll) or `revoked`. */
  status: ApiKeyStatus | (string & {});
  /** The key itself. Only the response that creates it has it, so store it. */
  secret: string;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface ApiVersion {
  /** The date, as you send it in `Service-Version`. */
  id: string;
  /** The kind of the object. */
  object: 'api_version';
  /**
   * Whether it is the newest version here. New accounts are pinned to it, unless the deployment is set
   * to an older one.
   */
  latest: boolean;
  /** The changes in this version, which you must handle to upgrade. */
  changelog: string;
}

export interface ApiVersionList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<ApiVersion>;
}

export interface ApiVersionPreview {
  /** The kind of the object. */
  object: 'api_version_preview';
  /** The account’s version. */
  from: string;
  /** The version to compare with. */
  to: string;
  /** The changes between the two versions, the newest first. */
  changelog: Array<{
    /** The date of a version. */
    id: string;
    /** The changes in this version. */
    changelog: string;
  }>;
  /**
   * The last logged requests. Requests with `Service-Version` are left out, because an upgrade does not
   * affect them.
   */
  requests: {
    /** How many were compared. */
    looked_at: number;
    /** How many of them would differ. */
    different: number;
    /** Those that would differ, the newest first. */
    data: Array<{
      /** The id of the request, and of its log. */
      id: string;
      /** The HTTP method. */
      method: string;
      /** The path. */
      path: string;
      /** The HTTP status of its response. */
      status: number;
      /** How its body must change. */
      request_body: Array<Difference>;
      /** The error that the same request would get. Null if it would be accepted. */
      refused: PreviewedError | null;
      /** How its response would differ. */
      response_body: Array<Difference>;
    }>;
  };
  /** The last events. */
  events: {
    /** How many were compared. */
    looked_at: number;
    /** How many of them would differ. */
    different: number;
    /** Those that would differ, the newest first. */
    data: Array<{
      /** The id of the event. */
      id: string;
      /** Its type. */
      type: string;
      /** How the event would differ. */
      differences: Array<Difference>;
    }>;
  };
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The decision on an application. */
export interface ApplicationDecision {
  /** The decision. */
  outcome: 'approved' | 'rejected' | (string & {});
  /** The reasons of a rejection. Empty for an approval. */
  reasons: Array<RejectionReason | (string & {})>;
  /** A note. Null if there is none. */
  note: string | null;
  /** Whether no person took part: an agent’s key or a workflow decided, and no person had approved it. */
  automated: boolean;
  /** When it was decided, in seconds since the Unix epoch. */
  decided_at: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Application>;
}

/** The state of the references of an application. */
export interface ApplicationReferences {
  /** The number of references that name this application. */
  total: number;
  /** The number of references with each status. Their sum is `total`. */
  by_status: {
    /** The number of references with `pending`. */
    pending: number;
    /** The number of references with `processing`. */
    processing: number;
    /** The number of references with `complete`. */
    complete: number;
    /** The number of references with `canceled`. */
    canceled: number;
  };
  /** The number of complete references with each outcome. */
  by_outcome: {
    /** The number of references with `accept`. */
    accept: number;
    /** The number of references with `consider`. */
    consider: number;
    /** The number of references with `high_risk`. */
    high_risk: number;
  };
  /**
   * The worst outcome of the complete references, as soon as none is pending or processing. Null until
   * then, and if none is complete.
   */
  result: Outcome | (string & {}) | null;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The review of a rejection by a person. */
export interface ApplicationReview {
  /** `requested` until a person has reviewed the rejection. `changed`: the application is open again. */
  status: 'requested' | 'upheld' | 'changed' | (string & {});
  /** What the applicants said. Null if they said nothing. */
  message: string | null;
  /** The grounds of the result. Null before. */
  note: string | null;
  /** When the applicants asked for it, in seconds since the Unix epoch. */
  requested_at: number;
  /** When it ended, in seconds since the Unix epoch. Null before. */
  completed_at: number | null;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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

/** Which requests of an agent’s key wait for the approval of a person. */
export type ApprovalPolicy = 'none' | 'sensitive' | 'all_writes';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The status of an approval request. */
export type ApprovalRequestStatus = 'pending' | 'approved' | 'executed' | 'rejected' | 'canceled' | 'expired';

/** What an approval request is for. */
export type ApprovalRequestType = 'agent_request' | 'workflow_step';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** What is due of invoices that are overdue. */
export interface Arrears {
  /** In the smallest unit of the currency of the rent. */
  amount: number;
  /** The first day of the arrears. Null if there are none. */
  since: string | null;
}

/** The check of a reference by a provider. */
export interface AutomaticReference {
  /** Whether a provider makes the check. */
  enabled: boolean;
  /**
   * Why the check does not go on: a code, what happened, and what to do. Null if nothing stops it. The
   * guide to automatic references lists the codes with what to do.
   */
  last_error: string | null;
  /** The verdict in the provider’s own words. Null until there is one. */
  outcome: string | null;
  /** The provider. Null if it is not enabled and you sent none. */
  provider: Provider | (string & {}) | null;
  /**
   * The provider’s status: `queued`, `invited`, `in_progress`, `awaiting_referee`, `in_review`, `done`,
   * `failed` or `canceled`. Null if it is not enabled.
   */
  status: string | null;
  /** The provider’s data besides its verdict. Null if there is none. */
  provider_data: ProviderData | null;
}

/** The settings of a check by a provider. */
export interface AutomaticReferenceInput {
  /** Whether a provider makes the check. The default is true. */
  enabled?: boolean | undefined;
  /**
   * The provider. The default is the account’s `default_provider`. In a sandbox without one, it is
   * `provider_a`.
   */
  provider?: Provider | null | undefined;
}

/** A bank account to which tenants pay. */
export interface BankDetails {
  /** The name of the account, as the bank knows it. */
  account_name: string;
  /** The name of the bank. Null if it is not shown. */
  bank_name: string | null;
  /** The sort code of a British bank: six digits. Null if there is none. */
  sort_code: string | null;
  /** The number of the account, without spaces. Null if there is none. */
  account_number: string | null;
  /** The IBAN, without spaces. Null if there is none. */
  iban: string | null;
  /** The BIC of the bank. Null if there is none. */
  bic: string | null;
}

/** A bank account to which tenants pay. It needs an `account_number` or an `iban`. */
export interface BankDetailsInput {
  /** The name of the account, as the bank knows it. */
  account_name: string;
  /** The name of the bank. Null if it is not shown. */
  bank_name?: string | null | undefined;
  /** The sort code of a British bank: six digits. */
  sort_code?: string | null | undefined;
  /** The number of the account, without spaces. */
  account_number?: string | null | undefined;
  /** The IBAN, without spaces. */
  iban?: string | null | undefined;
  /** The BIC of the bank. */
  bic?: string | null | undefined;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** A part of a line that fits a tenancy. */
export type BankLineEvidence = 'reference' | 'payer' | 'amount';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The state of a line of a bank statement. */
export type BankLineStatus = 'proposed' | 'unmatched' | 'confirmed' | 'ignored';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** A house, or a block of flats. Each home in it is a unit, and a house of one home has one unit. */
export interface Building {
  /** The id of the building. */
  id: string;
  /** The kind of the object. */
  object: 'building';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The name that your team uses for the building. */
  name: string;
  /** The address of the building. Its units have the same one. */
  address: BuildingAddress;
  /**
   * The law that applies to homes here. Null means that of the account, `rules.ruleset`. Only `england`
   * has checks yet.
   */
  jurisdiction: Jurisdiction | (string & {}) | null;
  /** Whether your team no longer manages it. */
  archived: boolean;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

/** The address of a building. */
export interface BuildingAddress {
  /** House and street. */
  line1: string;
  /** The second line. Null if there is none. */
  line2: string | null;
  /** Town or city. */
  city: string;
  /** The postal code, as it is written in the country. */
  postal_code: string;
  /** ISO 3166-1 alpha-2, such as `GB`. */
  country: string;
}

/** The address of a building. */
export interface BuildingAddressInput {
  /** House and street. */
  line1: string;
  /** The second line. Null if there is none. */
  line2?: string | null | undefined;
  /** Town or city. */
  city: string;
  /** The postal code, as it is written in the country. */
  postal_code: string;
  /** ISO 3166-1 alpha-2, such as `GB`. */
  country: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Building>;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** What a failed check does. */
export type CheckSeverity = 'error' | 'warn' | 'off';

export interface Clock {
  /** The kind of the object. */
  object: 'clock';
  /** The time of the deployment, in seconds since the Unix epoch. After a move, it is the new time. */
  now: number;
  /** How many seconds the clock is ahead of real time, with all advances together. */
  advanced_by: number;
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** What a deduction is for. */
export type DeductionReason = 'rent' | 'damage' | 'cleaning' | 'missing_items' | 'bills' | 'other';

export interface DeletedApplication {
  /** The id of the application. */
  id: string;
  /** The kind of the object. */
  object: 'application';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedBuilding {
  /** The id of the building. */
  id: string;
  /** The kind of the object. */
  object: 'building';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedCustomer {
  /** The id of the customer. */
  id: string;
  /** The kind of the object. */
  object: 'customer';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedFile {
  /** The id of the file. */
  id: string;
  /** The kind of the object. */
  object: 'file';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedGuarantor {
  /** The id of the guarantor. */
  id: string;
  /** The kind of the object. */
  object: 'guarantor';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedInvoice {
  /** The id of the invoice. */
  id: string;
  /** The kind of the object. */
  object: 'invoice';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedUnit {
  /** The id of the unit. */
  id: string;
  /** The kind of the object. */
  object: 'unit';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedUser {
  /** The id of the user. */
  id: string;
  /** The kind of the object. */
  object: 'user';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedWebhookEndpoint {
  /** The id of the webhook endpoint. */
  id: string;
  /** The kind of the object. */
  object: 'webhook_endpoint';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface DeletedWorkflow {
  /** The id of the workflow. */
  id: string;
  /** The kind of the object. */
  object: 'workflow';
  /** The record was deleted. */
  deleted: true;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

/**
 * One event for one webhook endpoint, with every attempt. On an endpoint for connected accounts it has
 * the event’s `account`. Send that in `Service-Context` to retrieve the event, list its deliveries, or
 * resend it.
 */
export interface Delivery {
  /** The id of the delivery. */
  id: string;
  /** The kind of the object. */
  object: 'delivery';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the event. */
  event: string;
  /** The id of the endpoint. */
  webhook_endpoint: string;
  /** The type of the event. */
  type: string;
  /**
   * `pending`: an attempt is due or in progress. `delivered`: the receiver responded with 2xx. `failed`:
   * every attempt failed. `canceled`: the endpoint was disabled or deleted, or a resend of the event
   * succeeded first.
   */
  status: DeliveryStatus | (string & {});
  /** The number of attempts, without interrupted ones. */
  attempt_count: number;
  /** When the next attempt is due, in seconds since the Unix epoch. Null if there is none. */
  next_attempt_at: number | null;
  /** When it was delivered, in seconds since the Unix epoch. Null if it was not. */
  delivered_at: number | null;
  /** Every attempt, the oldest first. */
  attempts: Array<DeliveryAttempt>;
  /**
   * The account of the event. Left out if that is your own and the request has no `Service-Context`.
   * Send it in `Service-Context` to retrieve the event.
   */
  account?: string;
}

/** An attempt to deliver an event. */
export interface DeliveryAttempt {
  /** When it began, in seconds since the Unix epoch. */
  created: number;
  /** The HTTP status of the receiver’s response. Null if there was none. */
  status: number | null;
  /**
   * Why there was no response: `address_forbidden`, `connection_closed`, `connection_refused`,
   * `host_unresolved`, `interrupted`, `response_invalid`, `timeout`, `tls_failed`, `unreachable` or
   * `failed`.
   */
  error: string | null;
  /** The duration of the attempt, in milliseconds. */
  duration_ms: number;
  /** The beginning of the response’s body, up to 1 kB. Null if there was none. */
  response: string | null;
  /** The version of the delivered body. */
  api_version: string;
}

export interface DeliveryList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Delivery>;
}

/** The status of a delivery. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'canceled';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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

/** A part of a deposit that the landlord keeps. */
export interface DepositDeductionInput {
  /** In the smallest unit of the currency: 21923 is 219.23 pounds. */
  amount: number;
  /** What it is for. */
  reason: DeductionReason;
  /** The deduction in words. */
  description?: string | null | undefined;
  /** The id of an invoice of the tenancy, which the deduction pays on `release`. */
  invoice?: string | null | undefined;
}

/** A dispute about deductions. */
export interface DepositDispute {
  /** The part in dispute, in the smallest unit of the currency. */
  amount: number;
  /** The reference of the scheme. Null if there is none. */
  reference: string | null;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** Why a holding deposit was kept, in whole or in part. */
export interface DepositRetention {
  /** In the smallest unit of the currency. */
  amount: number;
  /** The reason by law. */
  reason: RetentionReason | (string & {});
  /** The reason in words, as the applicants got it. */
  explanation: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** A scheme that protects tenancy deposits. */
export type DepositScheme =
  | 'dps_custodial'
  | 'dps_insured'
  | 'mydeposits_custodial'
  | 'mydeposits_insured'
  | 'tds_custodial'
  | 'tds_insured'
  | 'other';

/** The state of a deposit. */
export type DepositStatus = 'pending' | 'received' | 'protected' | 'releasing' | 'disputed' | 'settled' | 'canceled';

/** `holding`: it reserves a home for applicants. `tenancy`: it secures the duties of tenants. */
export type DepositType = 'holding' | 'tenancy';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** A difference between two versions. */
export interface Difference {
  /** The member, with dots between nested names. */
  path: string;
  /** Its value in the version `from`. Left out if that version does not have it. */
  before?: unknown;
  /** Its value in the version `to`. Left out if that version does not have it. */
  after?: unknown;
}

export interface Email {
  /** The id of the e-mail. */
  id: string;
  /** The kind of the object. */
  object: 'email';
  /** When it was made, in seconds since the Unix epoch. */
  created: number;
  /** What it is about. */
  kind: 'invitation' | 'password_link' | 'file_link' | 'portal_session' | 'workflow' | (string & {});
  /** The id of the record that it is about, such as an invitation. */
  about: string;
  /** The address of the recipient. */
  to: string;
  /** The name of the sender: that of the account. */
  from: string;
  /** The address for replies: the e-mail address in the letterhead of the account. Null if it has none. */
  reply_to: string | null;
  /** The subject. */
  subject: string;
  /** The plain text. */
  text: string;
  /** The HTML. It has the same words, and loads nothing. */
  html: string;
  /** The link in the e-mail. It is secret. Null if the e-mail has none. */
  link: string | null;
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
}

export interface EmailList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Email>;
}

/** The status of an e-mail. */
export type EmailStatus = 'queued' | 'sent' | 'failed' | 'kept';

/** Records of one kind that an erasure reaches. */
export interface ErasedRecords {
  /** The kind of the records, such as `reference`. */
  object: string;
  /** The number of the records. */
  number: number;
}

/** What a legal duty keeps after an erasure. */
export interface ErasureHold {
  /** The duty. */
  kind: RetentionHoldKind | (string & {});
  /** The law that requires it. */
  basis: string;
  /** The last day on which the data is kept. */
  until: string;
  /** The ids of the files that are sealed with it. */
  files: Array<string>;
}

/** A record that prevents an erasure. */
export interface ErasureObstacle {
  /** The id of the record. */
  record: string;
  /** Why it needs the data, and what to do first. */
  reason: string;
}

export interface ErasurePreview {
  /** The kind of the object. */
  object: 'erasure_preview';
  /** The id of the customer. */
  customer: string;
  /** The records that prevent the erasure. If there are none, the customer can be deleted. */
  prevented_by: Array<ErasureObstacle>;
  /** The records and files that go: references and bank lines lose the person, and files are deleted. */
  erased: Array<ErasedRecords>;
  /** The records that stay, and lose their texts about the person. */
  emptied: Array<ErasedRecords>;
  /** What is kept in retention holds, and until when. */
  holds: Array<ErasureHold>;
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
}

export interface Error {
  error: {
    /** The type of the error. SDKs have a class for each type. */
    type: ErrorType | (string & {});
    /** The code of the error, for programs. */
    code: ErrorCode | (string & {});
    /** What failed, why, and what to do, for people. */
    message: string;
    /**
     * The id of the failed check, for `check_failed`. `GET /v1/rulesets/{id}` lists the checks. Left out
     * for other codes.
     */
    check?: string;
    /**
     * The invalid parameter, with nested names in brackets (`metadata[order]`). Left out if the error is
     * not about one.
     */
    param?: string;
    /** The URL of a page about the code. */
    doc_url: string;
    /** The id of the request, and of its log. A replay has the id of the first request. */
    request_id: string;
    /**
     * The id of the approval request, for `approval_required` and `approval_rejected`. Left out for other
     * codes.
     */
    approval_request?: string;
    /**
     * The page of the approval request in the dashboard. Left out if there is no approval request, or if
     * the deployment has no dashboard.
     */
    approval_url?: string;
    /**
     * The page of the request’s log in the dashboard. Left out if the request leaves no log, or if the
     * deployment has no dashboard.
     */
    request_log_url?: string;
    /**
     * All faults of the body, or of the query, with one for each parameter. The first is the error itself.
     * At most 20 are listed, in about 8 kB: further ones are left out. Left out if the server stopped at
     * the first fault.
     */
    errors?: Array<Fault>;
  };
}

/** The code of an error. */
export type ErrorCode =
  | 'account_invalid'
  | 'amount_exceeded'
  | 'api_key_expired'
  | 'api_key_invalid'
  | 'api_key_missing'
  | 'api_version_invalid'
  | 'approval_rejected'
  | 'approval_required'
  | 'body_invalid'
  | 'body_too_large'
  | 'callback_signature_invalid'
  | 'check_failed'
  | 'content_type_unsupported'
  | 'email_unconfigured'
  | 'event_cursor_expired'
  | 'headers_too_large'
  | 'idempotency_key_in_use'
  | 'idempotency_key_invalid'
  | 'idempotency_key_reused'
  | 'identity_provider_unavailable'
  | 'internal'
  | 'limit_reached'
  | 'link_invalid'
  | 'method_not_allowed'
  | 'mode_mismatch'
  | 'origin_forbidden'
  | 'overloaded'
  | 'parameter_invalid'
  | 'parameter_missing'
  | 'parameter_unknown'
  | 'parameters_exclusive'
  | 'password_weak'
  | 'permission_denied'
  | 'person_required'
  | 'portal_session_invalid'
  | 'rate_limit'
  | 'reauthentication_required'
  | 'record_in_use'
  | 'request_invalid'
  | 'request_timeout'
  | 'resource_missing'
  | 'rollback_expired'
  | 'route_unknown'
  | 'second_factor_required'
  | 'second_factor_setup_required'
  | 'session_expired'
  | 'sign_in_failed'
  | 'status_transition_invalid'
  | 'too_many_attempts'
  | 'unavailable'
  | 'unit_occupied';

/** The type of an error. */
export type ErrorType =
  | 'permission_error'
  | 'invalid_request_error'
  | 'authentication_error'
  | 'idempotency_error'
  | 'api_error'
  | 'rate_limit_error';

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

/** The request that caused an event. */
export interface EventRequest {
  /** The id of the request, and of its log. Null if the system caused the event. */
  id: string | null;
  /** The `Idempotency-Key` of the request. Null if it had none. */
  idempotency_key: string | null;
  /** Whether a team member made the request in the dashboard. */
  from_dashboard: boolean;
  /** Whether the request came from a portal for customers. */
  customer_portal: boolean;
  /**
   * The party that made the request. Null for a person in the portal, and in events from before this
   * member existed.
   */
  actor: Actor | null;
}

/** A fault of a body or a query. */
export interface Fault {
  /** The code of the fault. */
  code: ErrorCode | (string & {});
  /** The invalid parameter. */
  param: string;
  /** What is wrong with it, and what to do. */
  message: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The status of a link to a file. */
export type FileLinkStatus = 'active' | 'revoked' | 'expired';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<File>;
}

/** The purpose of a file. */
export type FilePurpose =
  | 'reference_report'
  | 'identity_document'
  | 'income_evidence'
  | 'right_to_rent'
  | 'tenancy_agreement'
  | 'deposit_certificate'
  | 'prescribed_information'
  | 'notice'
  | 'other';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The state of a guarantor. */
export type GuarantorStatus = 'proposed' | 'agreed' | 'declined' | 'released';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** An interval of payments. */
export type Interval = 'week' | 'month' | 'year';

/**
 * An invitation to the account’s team. The server shows its `url` only once. If the operator has set
 * up e-mail, the server also sends the link to the person. The invited person opens it, chooses a
 * password, and is signed in.
 */
export interface Invitation {
  /** The id of the invitation. */
  id: string;
  /** The kind of the object. */
  object: 'invitation';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The e-mail address of the invited person. */
  email: string;
  /** The role that the person gets. */
  role: UserRole | (string & {});
  /** The user that invited the person. If that user is deleted or disabled, the invitation is void. */
  invited_by: string | null | User;
  /**
   * When it expires, in seconds since the Unix epoch: seven days after it was made. The clock of a
   * sandbox does not move this time.
   */
  expires_at: number;
  /** `pending`, `accepted`, `revoked` (also by a newer invitation of the address) or `expired`. */
  status: InvitationStatus | (string & {});
  /**
   * The status of the e-mail with the link. `queued`: it is sent soon. `sent`: the mail server has
   * accepted it. `failed`: it could not be sent, so hand the link over or try again.
   */
  email_status: EmailStatus | (string & {}) | null;
  /** Why the e-mail could not be sent. Null unless it has failed. */
  email_failure: string | null;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Invitation>;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The status of an invitation. */
export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/**
 * An invitation to the account’s team. The server shows its `url` only once. If the operator has set
 * up e-mail, the server also sends the link to the person. The invited person opens it, chooses a
 * password, and is signed in.
 */
export interface InvitationWithSecret {
  /** The id of the invitation. */
  id: string;
  /** The kind of the object. */
  object: 'invitation';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The e-mail address of the invited person. */
  email: string;
  /** The role that the person gets. */
  role: UserRole | (string & {});
  /** The user that invited the person. If that user is deleted or disabled, the invitation is void. */
  invited_by: string | null | User;
  /**
   * When it expires, in seconds since the Unix epoch: seven days after it was made. The clock of a
   * sandbox does not move this time.
   */
  expires_at: number;
  /** `pending`, `accepted`, `revoked` (also by a newer invitation of the address) or `expired`. */
  status: InvitationStatus | (string & {});
  /**
   * The status of the e-mail with the link. `queued`: it is sent soon. `sent`: the mail server has
   * accepted it. `failed`: it could not be sent, so hand the link over or try again.
   */
  email_status: EmailStatus | (string & {}) | null;
  /** Why the e-mail could not be sent. Null unless it has failed. */
  email_failure: string | null;
  /** The link for the invited person. Only the response that creates the invitation has it. */
  url: string;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** A part of an invoice that is not owed. */
export interface InvoiceCredit {
  /** In the smallest unit of the currency. */
  amount: number;
  /** The reason. */
  reason: string;
  /** When it was credited, in seconds since the Unix epoch. */
  credited_at: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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

/** A line of an invoice. */
export interface InvoiceLineInput {
  /** What the line is for. The law permits few payments besides the rent. */
  type: InvoiceLineType;
  /** The line in words. */
  description: string;
  /** In the smallest unit of the currency. It may be negative. */
  amount: number;
  /** The days that the line is for. */
  period?: InvoicePeriodInput | null | undefined;
  /** The id of the invoice that this line is about, such as a late one for which it takes interest. */
  invoice?: string | null | undefined;
}

/** What an invoice line is for. */
export type InvoiceLineType =
  | 'rent'
  | 'utility'
  | 'council_tax'
  | 'tv_licence'
  | 'communication'
  | 'late_interest'
  | 'lost_key'
  | 'damages'
  | 'variation'
  | 'early_termination'
  | 'other';

export interface InvoiceList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The days that an invoice is for. Both ends are included. */
export interface InvoicePeriod {
  /** The first day. */
  start: string;
  /** The last day. */
  end: string;
}

/** The days that an invoice is for. Both ends are included. */
export interface InvoicePeriodInput {
  /** The first day. */
  start: string;
  /** The last day. */
  end: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The state of an invoice. */
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The law that applies to a home. */
export type Jurisdiction = 'england' | 'wales' | 'scotland' | 'northern_ireland' | 'none';

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

/** The type of an event that this release has. */
export type EventType =
  | 'reference.created'
  | 'reference.updated'
  | 'reference.deleted'
  | 'reference.completed'
  | 'reference.canceled'
  | 'application.created'
  | 'application.updated'
  | 'application.deleted'
  | 'application.approved'
  | 'application.rejected'
  | 'application.withdrawn'
  | 'application.review_requested'
  | 'application.reviewed'
  | 'application.converted'
  | 'application.reopened'
  | 'application.check_raised'
  | 'guarantor.created'
  | 'guarantor.updated'
  | 'guarantor.deleted'
  | 'guarantor.agreed'
  | 'guarantor.declined'
  | 'guarantor.released'
  | 'building.created'
  | 'building.updated'
  | 'building.deleted'
  | 'unit.created'
  | 'unit.updated'
  | 'unit.deleted'
  | 'unit.available'
  | 'unit.reserved'
  | 'unit.let_agreed'
  | 'unit.occupied'
  | 'tenancy.created'
  | 'tenancy.updated'
  | 'tenancy.signed'
  | 'tenancy.activated'
  | 'tenancy.notice_given'
  | 'tenancy.notice_withdrawn'
  | 'tenancy.ended'
  | 'tenancy.canceled'
  | 'tenancy.pet_requested'
  | 'tenancy.pet_answered'
  | 'tenancy.arrears_started'
  | 'tenancy.arrears_cleared'
  | 'tenancy.check_raised'
  | 'deposit.created'
  | 'deposit.updated'
  | 'deposit.received'
  | 'deposit.applied'
  | 'deposit.retained'
  | 'deposit.returned'
  | 'deposit.protected'
  | 'deposit.information_given'
  | 'deposit.release_proposed'
  | 'deposit.disputed'
  | 'deposit.released'
  | 'deposit.canceled'
  | 'deposit.check_raised'
  | 'subscription.created'
  | 'subscription.updated'
  | 'subscription.activated'
  | 'subscription.change_scheduled'
  | 'subscription.change_canceled'
  | 'subscription.amount_changed'
  | 'subscription.paused'
  | 'subscription.resumed'
  | 'subscription.ended'
  | 'invoice.created'
  | 'invoice.updated'
  | 'invoice.deleted'
  | 'invoice.finalized'
  | 'invoice.paid'
  | 'invoice.reopened'
  | 'invoice.credited'
  | 'invoice.voided'
  | 'invoice.marked_uncollectible'
  | 'invoice.overdue'
  | 'payment.created'
  | 'payment.updated'
  | 'payment.succeeded'
  | 'payment.failed'
  | 'payment.canceled'
  | 'payment.allocated'
  | 'payment.refunded'
  | 'payment_import.created'
  | 'payment_import.updated'
  | 'bank_line.updated'
  | 'bank_line.deleted'
  | 'bank_line.confirmed'
  | 'bank_line.ignored'
  | 'bank_line.reopened'
  | 'customer.created'
  | 'customer.updated'
  | 'customer.deleted'
  | 'retention_hold.created'
  | 'retention_hold.updated'
  | 'retention_hold.revealed'
  | 'retention_hold.expired'
  | 'file.created'
  | 'file.updated'
  | 'file.deleted'
  | 'file_link.created'
  | 'file_link.updated'
  | 'file_link.opened'
  | 'file_link.revoked'
  | 'portal_session.created'
  | 'portal_session.updated'
  | 'portal_session.opened'
  | 'portal_session.ended'
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.updated'
  | 'webhook_endpoint.deleted'
  | 'webhook_endpoint.secret_rolled'
  | 'webhook_endpoint.disabled'
  | 'webhook_endpoint.pinged'
  | 'recovery.created'
  | 'recovery.updated'
  | 'recovery.completed'
  | 'recovery.canceled'
  | 'workflow.created'
  | 'workflow.updated'
  | 'workflow.deleted'
  | 'workflow.activated'
  | 'workflow.paused'
  | 'workflow.archived'
  | 'workflow_run.created'
  | 'workflow_run.updated'
  | 'workflow_run.succeeded'
  | 'workflow_run.failed'
  | 'workflow_run.canceled'
  | 'account.created'
  | 'account.updated'
  | 'account.credentials_changed'
  | 'api_key.created'
  | 'api_key.updated'
  | 'api_key.rolled'
  | 'api_key.revoked'
  | 'approval_request.created'
  | 'approval_request.updated'
  | 'approval_request.approved'
  | 'approval_request.rejected'
  | 'approval_request.canceled'
  | 'approval_request.expired'
  | 'approval_request.executed'
  | 'user.created'
  | 'user.updated'
  | 'user.deleted'
  | 'invitation.created'
  | 'invitation.updated'
  | 'invitation.accepted'
  | 'invitation.revoked';

/** The median and the 95th percentile, in milliseconds. */
export interface Latency {
  /** The median. Null if there were none. */
  p50: number | null;
  /** The 95th percentile. Null if there were none. */
  p95: number | null;
}

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
  count: number;
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

/** The address of a sender. */
export interface LetterheadAddress {
  /** House and street. */
  line1: string;
  /** The second line. Null if there is none. */
  line2: string | null;
  /** Town or city. */
  city: string;
  /** The postal code, as it is written in the country. */
  postal_code: string;
  /** ISO 3166-1 alpha-2, such as `GB`. */
  country: string;
}

/** The address of a sender. */
export interface LetterheadAddressInput {
  /** House and street. */
  line1: string;
  /** The second line. Null if there is none. */
  line2?: string | null | undefined;
  /** Town or city. */
  city: string;
  /** The postal code, as it is written in the country. */
  postal_code: string;
  /** ISO 3166-1 alpha-2, such as `GB`. */
  country: string;
}

/** The sender of invoices, statements and reports. */
export interface LetterheadInput {
  /** The name of the sender. */
  name: string;
  address: LetterheadAddressInput;
  /** The e-mail address for questions. Null if there is none. */
  email?: string | null | undefined;
  /** The phone number for questions, as you sent it. Null if there is none. */
  phone?: string | null | undefined;
  /** What the law requires on a letter, such as the number of a company. Null if there is nothing. */
  registration?: string | null | undefined;
  /** The account to which tenants pay. Null if invoices name none. */
  bank?: BankDetailsInput | null | undefined;
  /**
   * The id of a file of the account: a JPEG or PNG. It stands at the head of reports, invoices and
   * statements, and on the pages of links. Null if there is none. The id stays when the file is deleted.
   * Then nothing is printed in its place.
   */
  logo?: string | null | undefined;
  /** The colour of buttons in the portal, such as `#1d4ed8`. Null for the portal’s own. */
  brand_color?: string | null | undefined;
}

/** The check of ids in links. */
export type LinkedRecords = 'open' | 'strict';

/**
 * The record of one POST or DELETE request, even of a refused one. Requests with 401, 429 or 503 leave
 * no log. API keys and signing secrets that you sent by mistake are masked, such as
 * `sk_test_****wxyz`. So is the user of a URL.
 */
export interface Log {
  /** The id of the log. */
  id: string;
  /** The kind of the object. */
  object: 'log';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The HTTP method. */
  method: 'POST' | 'DELETE' | (string & {});
  /** The path and query, as you sent them, with masked secrets. */
  url: string;
  /** The decoded path without the query, up to 500 characters. */
  path: string;
  /** The HTTP status of the response. */
  status: number;
  /** The time until the response, in milliseconds. */
  duration_ms: number;
  /**
   * The IP address of the client. Behind a proxy that the operator trusts, it is from `X-Forwarded-For`.
   * Null if the connection was already closed, or if the person of the portal session was erased.
   */
  ip_address: string | null;
  /**
   * The `User-Agent`, up to 500 characters. Null if there was none, or if the person of the portal
   * session was erased.
   */
  user_agent: string | null;
  /** The team member that made the request in the dashboard. Null otherwise. */
  user_email: string | null;
  /** The id of that team member. Null if it was none. */
  user_id: string | null;
  /** The id of the API key. Null if the request used none. */
  key_id: string | null;
  /** The kind of the API key. Null if the request used none. */
  key_type: ApiKeyType | (string & {}) | null;
  /** The interface of the request. */
  source: RequestSource | (string & {});
  /** The id of the portal session. Null if the request was not from the portal. */
  portal_session: string | null;
  /** The version of the response. */
  api_version: string;
  /** The `Idempotency-Key` of the request. Null if it had none. */
  idempotency_key: string | null;
  /**
   * The request whose response was replayed, because it had the same `Idempotency-Key`. Null if the
   * response is its own.
   */
  original_request: string | null;
  /** Whether it got the stored response of an earlier request. */
  replayed: boolean;
  /**
   * The body as you sent it, with secrets as `[redacted]` or masked. Null if there was none, or if it
   * was not read (403, 415). Null if the record or route was not found (404), or if a person of the
   * request was erased.
   */
  request_body: string | null;
  /** The body of the response, with secrets as `[redacted]` or masked. */
  response_body: string | null;
  /** The error of the response. Null if there was none. */
  error: LoggedError | null;
  /** The ids of the events that it caused. */
  events: Array<string>;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

export interface LogList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Log>;
}

/** The error of a logged request. */
export interface LoggedError {
  /** The type of the error. */
  type: string;
  /** The code of the error. */
  code: string;
  /** The id of the failed check. Left out for other codes. */
  check?: string;
  /** The invalid parameter. Left out if the error is not about one. */
  param?: string;
}

/** Your own key-value pairs. */
export type Metadata = Record<string, string>;

/** An amount of money. */
export interface Money {
  /** In the smallest unit of the currency: 95000 is 950.00 pounds. */
  amount: number;
  /** The currency (ISO 4217) in lower case. */
  currency: string;
}

/** An amount of money. */
export interface MoneyInput {
  /** In the smallest unit of the currency: 95000 is 950.00 pounds. */
  amount: number;
  /** The currency (ISO 4217) in lower case: `gbp`. */
  currency: string;
}

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The verdict of a check, from good to bad. */
export type Outcome = 'accept' | 'consider' | 'high_risk';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** Why a payment failed. */
export interface PaymentFailure {
  /** The code of the bank or the gateway. */
  code: string;
  /** The reason in words. Null if none was given. */
  message: string | null;
}

/**
 * An upload of a bank statement. It made a bank line for each new line with incoming money. A line is
 * new if no earlier file had it. No payment is made until you confirm a line.
 */
export interface PaymentImport {
  /** The id of the payment import. */
  id: string;
  /** The kind of the object. */
  object: 'payment_import';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The filename that the sender gave it. */
  filename: string;
  /** The SHA-256 hash of the file, in hex. The file itself is not kept. */
  sha256: string;
  /** The format of the file. */
  format: 'csv' | (string & {});
  /** `open` while lines of it wait for a decision: proposed or unmatched ones. Then `complete`. */
  status: PaymentImportStatus | (string & {});
  /** The number of bank lines that it made. No earlier file had these lines. */
  lines_new: number;
  /** The number of lines that an earlier file had. It made nothing of them. */
  lines_known: number;
  /** The number of lines without money that came in: an amount of 0 or below. */
  lines_skipped: number;
  /** The numbers, in the file, of the lines that an earlier file had. */
  known_lines: Array<number>;
  /** The lines that it made, by their state now. */
  lines: PaymentImportLines;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The lines that an import made, by their state now. */
export interface PaymentImportLines {
  /** The number of lines with a proposal. */
  proposed: number;
  /** The number of lines without one. */
  unmatched: number;
  /** The number of lines that are payments. */
  confirmed: number;
  /** The number of ignored lines. */
  ignored: number;
}

export interface PaymentImportList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<PaymentImport>;
}

/** The state of an import. */
export type PaymentImportStatus = 'open' | 'complete';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface PaymentList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Payment>;
}

/** The way in which money came. */
export type PaymentMethod =
  | 'bank_transfer'
  | 'standing_order'
  | 'direct_debit'
  | 'card'
  | 'cash'
  | 'cheque'
  | 'other'
  | 'deposit'
  | 'holding_deposit';

/** A payment gateway. */
export type PaymentProvider = 'simulator';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The state of a payment. */
export type PaymentStatus = 'pending' | 'succeeded' | 'failed' | 'canceled' | 'refunded';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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

/** A part of the portal. */
export type PortalFeature = 'details' | 'documents' | 'applications' | 'money' | 'notice' | 'pets';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The status of a session of the portal. */
export type PortalSessionStatus = 'pending' | 'active' | 'ended';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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

/** The error that a request would get. */
export interface PreviewedError {
  /** The HTTP status. */
  status: number;
  /** The type of the error. */
  type: string;
  /** The code of the error. */
  code: string;
  /** The invalid parameter. Null if the error is not about one. */
  param: string | null;
  /** What would fail, and what to do. */
  message: string;
}

/** A referencing provider. */
export type Provider = 'provider_a' | 'provider_b' | 'provider_c' | 'provider_d';

/** The data of a check by `provider_a`. */
export interface ProviderAData {
  /** Whether the person can afford the rent. */
  affordability: Affordability;
  /** The credit score on the provider’s scale. Null if there is no credit file. */
  credit_score: number | null;
  /** Notes from the check, the oldest first. Null if the provider sends none. */
  notes: Array<ProviderNote> | null;
  /** The progress of the check, in percent. Null if the provider does not send it. */
  progress: number | null;
  /** True if the person is on no sanctions list. Null until that is checked. */
  sanctions_passed: boolean | null;
}

/** Credentials for referencing providers. */
export interface ProviderCredentialsInput {
  /** The credentials for `provider_a`. Null removes them. */
  provider_a?:
    | {
        /** The credential from the service, without spaces or line breaks around it. */
        api_key: string;
        /** The credential from the service, without spaces or line breaks around it. */
        signing_secret: string;
      }
    | null
    | undefined;
  /** The credentials for `provider_b`. Null removes them. */
  provider_b?:
    | {
        /** The credential from the service, without spaces or line breaks around it. */
        username: string;
        /** The credential from the service, without spaces or line breaks around it. */
        password: string;
      }
    | null
    | undefined;
  /** The credentials for `provider_c`. Null removes them. */
  provider_c?:
    | {
        /** The credential from the service, without spaces or line breaks around it. */
        api_key: string;
        /** The credential from the service, without spaces or line breaks around it. */
        signing_secret: string;
      }
    | null
    | undefined;
  /** The credentials for `provider_d`. Null removes them. */
  provider_d?:
    | {
        /** The credential from the service, without spaces or line breaks around it. */
        token: string;
      }
    | null
    | undefined;
}

/** The data of a check besides its verdict, by provider. */
export interface ProviderData {
  /** The provider of the data, and the name of the member with the data. */
  type: 'provider_a' | (string & {});
  /** What `provider_a` reports. */
  provider_a: ProviderAData;
}

/** A note of a provider. */
export interface ProviderNote {
  /** When it was written, in seconds since the Unix epoch. */
  created: number;
  /** The text of the note. */
  message: string;
}

/** A duty by law that is not met. */
export interface RaisedCheck {
  /** The id of the check in the ruleset. */
  id: string;
  /** The rule, its source, and what to do. */
  message: string;
  /** When it was raised, in seconds since the Unix epoch. */
  since: number;
}

/** A job that sends missed events to a webhook endpoint, from a given time on. */
export interface Recovery {
  /** The id of the recovery. */
  id: string;
  /** The kind of the object. */
  object: 'recovery';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The id of the endpoint. */
  webhook_endpoint: string | WebhookEndpoint;
  /** The time from which missed events are sent again, in seconds since the Unix epoch. */
  since: number;
  /**
   * `pending`: it is in progress. `completed`: all missed events are queued. `canceled`: the endpoint
   * was disabled or deleted meanwhile.
   */
  status: RecoveryStatus | (string & {});
  /** The number of deliveries that it has made so far. */
  resent: number;
  /** When it was completed or canceled, in seconds since the Unix epoch. Null while it is pending. */
  completed_at: number | null;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface RecoveryList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Recovery>;
}

/** The status of a recovery. */
export type RecoveryStatus = 'pending' | 'completed' | 'canceled';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
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
  reference_pdf: string | null | File;
  /** The ids of the files that `reference_pdf` named before, the oldest first. It keeps the last 50. */
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The person or the program that set the outcome of a reference. */
export interface ReferenceDecider {
  /**
   * `user`: a person in the dashboard. `api_key`: a program with a key. `agent`: a program that decides
   * by itself.
   */
  type: 'user' | 'api_key' | 'agent' | (string & {});
  /** The id of the user or of the API key. */
  id: string;
  /** The e-mail address of the user, or the name of the key. Null if it has none. */
  name: string | null;
  /** The role of the user at that time. Null for a key. */
  role: UserRole | (string & {}) | null;
}

/** A decision about a reference: an outcome that was set by hand. */
export interface ReferenceDecision {
  /** The outcome that was set. */
  outcome: Outcome | (string & {});
  /** Why, in the words of the decider. Null if none was given, or after an erasure. */
  reason: string | null;
  decided_by: ReferenceDecider;
  /** When it was set, in seconds since the Unix epoch. */
  decided_at: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Reference>;
}

/** The status of a reference. */
export type ReferenceStatus = 'pending' | 'processing' | 'complete' | 'canceled';

/** The kind of person that a reference is about. */
export type ReferenceType = 'customer';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface ReferencingProvider {
  /** The name, as you send it in `automatic_reference.provider`. */
  id: 'provider_a' | 'provider_b' | 'provider_c' | 'provider_d' | (string & {});
  /** The kind of the object. */
  object: 'referencing_provider';
  /**
   * Whether you can order references. `credentials_missing`: set `provider_credentials` with POST
   * /v1/account. `not_set_up`: ask the operator for the address of the service.
   */
  status: 'ready' | 'credentials_missing' | 'not_set_up' | (string & {});
  /** How this deployment reaches the service. Null if it does not. A simulated one needs no credentials. */
  service: 'real' | 'simulated' | (string & {}) | null;
  /** Whether the account has set credentials. No response shows them. */
  credentials_set: boolean;
  /** The members of `provider_credentials[<provider>]`. The service needs all of them. */
  credential_names: Array<string>;
  /** How to set up the service if you cannot order references yet. Null if nothing is missing. */
  advice: string | null;
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
}

export interface ReferencingProviderList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<ReferencingProvider>;
}

/**
 * A refund of a part of a payment. With a gateway, it is `pending` until the gateway has sent the
 * money.
 */
export interface Refund {
  /** In the smallest unit of the currency. */
  amount: number;
  /** The reason. Null if none was given. */
  reason: string | null;
  /**
   * `pending` until the gateway has sent the money. Then it counts in `amount_refunded`. A refund
   * without a gateway succeeds at once.
   */
  status: 'pending' | 'succeeded' | 'failed' | (string & {});
  /** Why the gateway did not send it. Null if it did not fail. */
  failure: PaymentFailure | null;
  /** When it was recorded, in seconds since the Unix epoch. Null until it succeeds. */
  refunded_at: number | null;
}

/**
 * The reason of a rejection. `affordability`: The rent is more than the income can carry.
 * `credit_history`: The credit history has defaults, judgments or arrears. `landlord_reference`: An
 * earlier landlord does not recommend the tenancy.
 */
export type RejectionReason =
  | 'affordability'
  | 'credit_history'
  | 'landlord_reference'
  | 'employment_reference'
  | 'identity_unverified'
  | 'right_to_rent'
  | 'information_false'
  | 'reference_incomplete'
  | 'sanctions'
  | 'other_applicant'
  | 'unit_withdrawn'
  | 'other';

/** The rent of a home. */
export interface Rent {
  /** In the smallest unit of the currency: 95000 is 950.00 pounds. */
  amount: number;
  /** The currency (ISO 4217) in lower case: `gbp`. */
  currency: string;
  /** The interval at which the amount is due. */
  interval: Interval | (string & {});
}

/** The legal basis of a new rent. */
export type RentChangeBasis = 'section_13' | 'tribunal' | 'agreement' | 'correction';

/** The rent of a home. */
export interface RentInput {
  /** In the smallest unit of the currency: 95000 is 950.00 pounds. */
  amount: number;
  /** The currency (ISO 4217) in lower case: `gbp`. */
  currency: string;
  /** The interval at which the amount is due. */
  interval: Interval;
}

/** The interface of a request. */
export type RequestSource = 'api' | 'dashboard' | 'portal';

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

/** The data that a retention hold keeps. */
export interface RetentionHoldContent {
  /** The name of the person. Null if the duty does not need it. */
  name: string | null;
  /** The last address of the person. Null if the duty does not need it, or if none was known. */
  address: {
    /** House and street. */
    line1: string;
    /** The second line. Null if there is none. */
    line2: string | null;
    /** Town or city. */
    city: string;
    /** The postal code. */
    postal_code: string;
    /** ISO 3166-1 alpha-2, such as `GB`. */
    country: string;
    /** The first day there. Null if it is not known. */
    from: string | null;
    /** The last day there. Null if it is not known. */
    to: string | null;
  } | null;
  /** The check of the right to rent. Null if the duty does not need it. */
  right_to_rent: {
    /** `unlimited` or `time_limited`. */
    status: string;
    /** The day of the check. */
    checked_on: string;
    /** The last day of the right. Null if it has none. */
    expires_on: string | null;
  } | null;
  /** The ids of the tenancies that the duty is about. */
  tenancies: Array<string>;
  /** The sealed files. `GET /v1/retention_holds/{id}/contents` returns the bytes of each. */
  files: Array<{
    /** The id of the file. */
    file: string;
    /** The purpose of the file. */
    purpose: string;
    /** The filename that the sender gave it. */
    filename: string;
    /** The size in bytes. */
    size: number;
    /** The SHA-256 hash of the contents, in hex. */
    sha256: string;
    /** The type of the contents. Left out in older holds, whose files are all `application/pdf`. */
    content_type?: string;
  }>;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The duty of a retention hold. */
export type RetentionHoldKind = 'right_to_rent' | 'accounts';

export interface RetentionHoldList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The state of a retention hold. */
export type RetentionHoldStatus = 'held' | 'expired';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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

/** Why a holding deposit is kept (Tenant Fees Act 2019 Sch 2 paras 8-12). */
export type RetentionReason = 'right_to_rent' | 'false_information' | 'tenant_withdrew' | 'tenant_took_no_steps';

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

/** A check of the right to rent in England. */
export interface RightToRentInput {
  /** Whether the right ends on a day. */
  status: 'unlimited' | 'time_limited';
  /** The day of the check. */
  checked_on: string;
  /** The last day of the right. Null if it has none. */
  expires_on?: string | null | undefined;
  /** The ids of the files with the evidence. */
  files?: Array<string> | undefined;
}

export interface Ruleset {
  /** The id of the ruleset. `none` has no checks. */
  id: 'england' | 'none' | (string & {});
  /** The kind of the object. */
  object: 'ruleset';
  /** The day on which these checks are in force. */
  on: string;
  /** The checks in force that day, with the severities of the law. An account can have others in `rules`. */
  checks: Array<RulesetCheck>;
}

/** A rule of law that Tenure checks lets against. */
export interface RulesetCheck {
  /** The id of the check, as in `check` of an error and in the `rules` of an account. */
  id: string;
  /**
   * What a failed check does: `error` refuses the request, and `warn` keeps a warning. The account’s
   * `rules` can change that.
   */
  severity: 'error' | 'warn' | (string & {});
  /** The types of tenancy that it judges. An application counts as `assured`. */
  applies_to: Array<'assured' | 'licence' | 'student' | 'company' | 'social' | (string & {})>;
  /** The Act and its section. */
  source: string;
  /** The first day on which it is in force. */
  from: string;
  /** The last day on which it is in force. Null if none is known. */
  to: string | null;
  /** The rule in a sentence or two. */
  description: string;
}

/** A ruleset. */
export type RulesetId = 'england' | 'none';

/** An amount that will be charged from a later period on. */
export interface ScheduledChange {
  /** In the smallest unit of the currency. */
  amount: number;
  /** The first day of the first period with this amount. */
  effective_on: string;
  /** The legal basis. */
  basis: RentChangeBasis | (string & {});
  /** The day on which the notice of the new amount was served. Null if there was no notice. */
  served_on: string | null;
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

/** The second factor of a sign-in. */
export type SecondFactor = 'none' | 'totp' | 'passkey';

export interface Statement {
  /** The kind of the object. */
  object: 'statement';
  /** The id of the tenancy. */
  tenancy: string;
  /** The currency of the rent (ISO 4217), in lower case. */
  currency: string;
  /** The first day. Null if it goes back to the first entry. */
  from: string | null;
  /** The last day. */
  to: string;
  /**
   * What the tenants owed before the first day, in the smallest unit of the currency. Below 0, the
   * tenants have credit.
   */
  opening_balance: number;
  /** The entries of these days, the oldest day first. */
  entries: Array<StatementEntry>;
  /**
   * What the tenants owe after the last day, in the smallest unit of the currency. Below 0, the tenants
   * have credit.
   */
  closing_balance: number;
  /** What is overdue now, whatever the days of the statement are. */
  arrears: Arrears;
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
}

/** An entry of the ledger in a statement. */
export interface StatementEntry {
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
  /**
   * The balance after this entry, in the order of the statement, in the smallest unit of the currency.
   * Below 0, the tenants have credit.
   */
  balance: number;
  /** The id of its invoice. Null if it has none. */
  invoice: string | null;
  /** The id of its payment. Null if it has none. */
  payment: string | null;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The state of a subscription. */
export type SubscriptionStatus = 'scheduled' | 'active' | 'paused' | 'ended';

/** What a subscription charges. */
export type SubscriptionType = 'rent' | 'service';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Tenancy>;
}

/** A notice to end a tenancy. */
export interface TenancyNotice {
  /** The side that gave it, or `mutual` for an agreement to end. */
  by: 'tenant' | 'landlord' | 'mutual' | (string & {});
  /** The day on which it was served. */
  served_on: string;
  /** The day on which the tenancy ends by it. A court may have to decide. */
  ends_on: string;
  /** A landlord’s grounds, from Schedule 2 to the Housing Act 1988. */
  grounds: Array<string>;
  /** Whether both sides agreed to a shorter notice in writing. */
  agreed_in_writing: boolean;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The rent of a tenancy. */
export interface TenancyRent {
  /** In the smallest unit of the currency: 95000 is 950.00 pounds. */
  amount: number;
  /** The currency (ISO 4217) in lower case: `gbp`. */
  currency: string;
  /** The unit of the rent period. */
  interval: 'week' | 'month' | (string & {});
  /** The number of weeks or months in a rent period. */
  interval_count: number;
}

/** The rent of a tenancy. */
export interface TenancyRentInput {
  /** In the smallest unit of the currency: 95000 is 950.00 pounds. */
  amount: number;
  /** The currency (ISO 4217) in lower case: `gbp`. */
  currency: string;
  /** The unit of the rent period. */
  interval: 'week' | 'month';
  /** The number of weeks or months in a rent period. The default is 1. */
  interval_count?: number | undefined;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The state of a tenancy. */
export type TenancyStatus = 'draft' | 'signed' | 'active' | 'notice' | 'ended' | 'canceled';

/** The kind of a tenancy. The law of each is different. */
export type TenancyType = 'assured' | 'licence' | 'student' | 'company' | 'social';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The state of a home, from its tenancies and holding deposits. */
export type UnitStatus = 'available' | 'reserved' | 'let_agreed' | 'occupied';

/** The kind of a home. */
export type UnitType = 'flat' | 'house' | 'studio' | 'room' | 'other';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/**
 * A member of the account’s team, who signs in to the dashboard. A role gives permissions. An
 * invitation makes a user. No API key reads or changes users.
 */
export interface User {
  /** The id of the user. */
  id: string;
  /** The kind of the object. */
  object: 'user';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The e-mail address. It is unique in the deployment, and its case does not matter. */
  email: string;
  /** The name. Null if there is none. */
  name: string | null;
  /**
   * The role. `owner` and `admin` may do everything, but only owners handle owners. `developer`:
   * records, webhooks, keys and logs. `operator`: records only. `viewer`: reads records.
   */
  role: UserRole | (string & {});
  /** `active`, or `disabled`: the user cannot sign in. */
  status: UserStatus | (string & {});
  /** `none`, `totp` (codes from an app) or `passkey`. */
  second_factor: SecondFactor | (string & {});
  /** When the user last signed in, in seconds since the Unix epoch. Null if never. */
  last_signed_in_at: number | null;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<User>;
}

/** The role of a team member. */
export type UserRole = 'owner' | 'admin' | 'developer' | 'operator' | 'viewer';

/** The status of a team member. */
export type UserStatus = 'active' | 'disabled';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** A URL that receives an account’s events. */
export interface WebhookEndpoint {
  /** The id of the webhook endpoint. */
  id: string;
  /** The kind of the object. */
  object: 'webhook_endpoint';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /**
   * The URL of the receiver: http or https (in live mode only https), without credentials, at a public
   * address.
   */
  url: string;
  /** Your description of its purpose. Null if you sent none. */
  description: string | null;
  /**
   * The event types that it receives: `*` for all, `<resource>.*`, or `<resource>.<verb>`. Unknown names
   * are refused.
   */
  enabled_events: Array<string>;
  /** The version of its deliveries. An upgrade of the account does not change it. */
  api_version: string;
  /**
   * Whether it receives the events of connected accounts, each with its `account`, instead of your own.
   * You cannot change it later.
   */
  connected: boolean;
  /**
   * `enabled` or `disabled`. A disabled endpoint gets no new deliveries, and its pending ones become
   * `canceled`. If you enable it again, it gets new events only.
   */
  status: WebhookEndpointStatus | (string & {});
  /** Why the server has disabled it. Null if it has not. */
  disabled_reason: string | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

export interface WebhookEndpointList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<WebhookEndpoint>;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The status of a webhook endpoint. */
export type WebhookEndpointStatus = 'enabled' | 'disabled';

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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** A URL that receives an account’s events. */
export interface WebhookEndpointWithSecret {
  /** The id of the webhook endpoint. */
  id: string;
  /** The kind of the object. */
  object: 'webhook_endpoint';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /**
   * The URL of the receiver: http or https (in live mode only https), without credentials, at a public
   * address.
   */
  url: string;
  /** Your description of its purpose. Null if you sent none. */
  description: string | null;
  /**
   * The event types that it receives: `*` for all, `<resource>.*`, or `<resource>.<verb>`. Unknown names
   * are refused.
   */
  enabled_events: Array<string>;
  /** The version of its deliveries. An upgrade of the account does not change it. */
  api_version: string;
  /**
   * Whether it receives the events of connected accounts, each with its `account`, instead of your own.
   * You cannot change it later.
   */
  connected: boolean;
  /**
   * `enabled` or `disabled`. A disabled endpoint gets no new deliveries, and its pending ones become
   * `canceled`. If you enable it again, it gets new events only.
   */
  status: WebhookEndpointStatus | (string & {});
  /** Why the server has disabled it. Null if it has not. */
  disabled_reason: string | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /**
   * The key for signatures of deliveries: the whole text `whsec_…`. API keys with
   * `webhook_endpoints.write` see it when they create or retrieve the endpoint or roll the secret. It is
   * never in lists, events or logs.
   */
  signing_secret: string;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
}

/**
 * Steps that run when something happens. A trigger names the events. For each matching event, the
 * server makes a workflow run, which takes the steps in their order.
 */
export interface Workflow {
  /** The id of the workflow. */
  id: string;
  /** The kind of the object. */
  object: 'workflow';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The name, which events of its runs show as their actor. */
  name: string;
  /** The events that start a run. */
  trigger: WorkflowTrigger;
  /** The steps, in their order: 1 to 20. */
  steps: Array<WorkflowStep>;
  /** What its `api` steps may do. You can only give permissions that you hold yourself. */
  permissions: Array<string>;
  /** The version of the events and bodies in its steps: that of your account when you made it. */
  api_version: string;
  /** Grows by one with each change of the definition. A run keeps its copy. */
  version: number;
  /** `draft` until it is activated, then `active` or `paused`, and at last `archived`. */
  status: WorkflowStatus | (string & {});
  /** Why the server has paused it. Null if it has not. */
  paused_reason: string | null;
  /** When it was last activated, in seconds since the Unix epoch. Null if it was not. */
  activated_at: number | null;
  /** When it was paused, in seconds since the Unix epoch. Null if it is not paused. */
  paused_at: number | null;
  /** When it was archived, in seconds since the Unix epoch. Null if it is not. */
  archived_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** A condition about the value at a path. */
export interface WorkflowFilter {
  /** The path of a member: `data.object.status` in an event, or `steps.check.output.id` in `if`. */
  path: string;
  /**
   * `eq`, `ne`, `gt`, `gte`, `lt` and `lte` compare with `value`. `in` takes a list. `exists`: the value
   * is not null. `changed`: the update has changed it.
   */
  op: 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'exists' | 'changed' | (string & {});
  /** The value to compare with. `exists` and `changed` take `true` or `false`. */
  value?: string | number | boolean | null | Array<string | number | boolean | null>;
}

/** A condition about the value at a path. */
export interface WorkflowFilterInput {
  /** The path of a member: `data.object.status` in an event, or `steps.check.output.id` in `if`. */
  path: string;
  /**
   * `eq`, `ne`, `gt`, `gte`, `lt` and `lte` compare with `value`. `in` takes a list. `exists`: the value
   * is not null. `changed`: the update has changed it.
   */
  op: 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'exists' | 'changed';
  /** The value to compare with. `exists` and `changed` take `true` or `false`. */
  value?: string | number | boolean | null | Array<string | number | boolean | null> | undefined;
}

export interface WorkflowList {
  /** The kind of the object. */
  object: 'list';
  /** The exact number of all records that match, on all pages. */
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<Workflow>;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  count: number;
  /** Whether more records follow in the direction of paging. */
  has_more: boolean;
  /** The records of the page. */
  data: Array<WorkflowRun>;
}

/** The status of a workflow run. */
export type WorkflowRunStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled';

/** A step of a workflow run. */
export interface WorkflowRunStep {
  /** The id of the step in the workflow. */
  id: string;
  /** The position of its item, from 0. Null without `for_each`. */
  item: number | null;
  /**
   * `running` after a failed attempt that is repeated. `skipped`: its `if` did not match, or its list
   * was empty.
   */
  status: 'running' | 'waiting' | 'succeeded' | 'skipped' | 'failed' | 'canceled' | (string & {});
  /** The number of attempts. */
  attempts: number;
  /**
   * What later steps can name. It has ids, and no personal data: a template reads the record of the id
   * as it is then.
   */
  output: Record<string, unknown> | null;
  /** Why it failed. Null if it did not. */
  error: {
    /** A word for programs. For `api`, the code of the refusal. */
    code: string;
    /** A sentence for people. */
    message: string;
  } | null;
  /** When it began, in seconds since the Unix epoch. */
  started_at: number;
  /** When it ended. Null if it has not. */
  ended_at: number | null;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/** The status of a workflow. */
export type WorkflowStatus = 'draft' | 'active' | 'paused' | 'archived';

/** One step of a workflow. */
export interface WorkflowStep {
  /** The name of the step, by which later steps read its output. */
  id: string;
  /**
   * `api` sends a request to this API. `http` posts to another server. `email` writes to a customer.
   * `wait` and `wait_for_event` wait. `approval` asks a person.
   */
  action: 'api' | 'http' | 'email' | 'wait' | 'wait_for_event' | 'approval' | (string & {});
  /** The step runs only if all match. Otherwise it is skipped. */
  if?: Array<WorkflowFilter>;
  /** The path of a list: the step runs once for each `{{item}}`. */
  for_each?: string;
  /** `stop`, the default, fails the run. `continue` goes on with the next step. */
  on_error?: 'stop' | 'continue' | (string & {});
  /** For `api`: the path of a POST of this API, such as `/v1/references`. */
  path?: string;
  /** For `api` and `http`: the body. Texts may have templates. For `http`, the event is sent by default. */
  body?: Record<string, unknown>;
  /** For `http`: the URL. Its host has no templates. */
  url?: string;
  /**
   * For `http`: further headers. Their values are encrypted and shown as null. An update with null keeps
   * the value.
   */
  headers?: Record<string, string | null>;
  /** For `email`: the id of a customer. */
  to?: string;
  /** For `email`: the subject. */
  subject?: string;
  /** For `email`: the text. An empty line begins a paragraph. */
  text?: string;
  /** For `wait`: how long. */
  seconds?: number;
  /** For `wait`: the path of a day, or of a time in seconds. */
  until?: string;
  /** For `wait_for_event`: the type of the event. */
  type?: string;
  /** For `wait_for_event`: all must match. A `value` may be a template. */
  filters?: Array<WorkflowFilter>;
  /** For `wait_for_event` and `approval`: how long to wait, in seconds. */
  timeout?: number;
  /** For `approval`: what the person decides. */
  title?: string;
}

/** One step of a workflow. */
export interface WorkflowStepInput {
  /** The name of the step, by which later steps read its output. */
  id: string;
  /**
   * `api` sends a request to this API. `http` posts to another server. `email` writes to a customer.
   * `wait` and `wait_for_event` wait. `approval` asks a person.
   */
  action: 'api' | 'http' | 'email' | 'wait' | 'wait_for_event' | 'approval';
  /** The step runs only if all match. Otherwise it is skipped. */
  if?: Array<WorkflowFilterInput> | undefined;
  /** The path of a list: the step runs once for each `{{item}}`. */
  for_each?: string | undefined;
  /** `stop`, the default, fails the run. `continue` goes on with the next step. */
  on_error?: 'stop' | 'continue' | undefined;
  /** For `api`: the path of a POST of this API, such as `/v1/references`. */
  path?: string | undefined;
  /** For `api` and `http`: the body. Texts may have templates. For `http`, the event is sent by default. */
  body?: Record<string, unknown> | undefined;
  /** For `http`: the URL. Its host has no templates. */
  url?: string | undefined;
  /**
   * For `http`: further headers. Their values are encrypted and shown as null. An update with null keeps
   * the value.
   */
  headers?: Record<string, string | null> | undefined;
  /** For `email`: the id of a customer. */
  to?: string | undefined;
  /** For `email`: the subject. */
  subject?: string | undefined;
  /** For `email`: the text. An empty line begins a paragraph. */
  text?: string | undefined;
  /** For `wait`: how long. */
  seconds?: number | undefined;
  /** For `wait`: the path of a day, or of a time in seconds. */
  until?: string | undefined;
  /** For `wait_for_event`: the type of the event. */
  type?: string | undefined;
  /** For `wait_for_event`: all must match. A `value` may be a template. */
  filters?: Array<WorkflowFilterInput> | undefined;
  /** For `wait_for_event` and `approval`: how long to wait, in seconds. */
  timeout?: number | undefined;
  /** For `approval`: what the person decides. */
  title?: string | undefined;
}

export interface WorkflowTest {
  /** The kind of the object. */
  object: 'workflow_test';
  /** The id of the workflow. */
  workflow: string;
  /** The id of the event. */
  event: string;
  /** Whether the event would start a run, if the workflow is active. */
  matches: boolean;
  /** What the steps would do. Empty if the event does not match. */
  steps: Array<WorkflowTestStep>;
  /** The account acted upon, if `Service-Context` names it. */
  account?: string;
}

/** What a step of a workflow would do. */
export interface WorkflowTestStep {
  /** The id of the step. */
  id: string;
  /** The position of its item, from 0. Null without `for_each`. */
  item: number | null;
  /**
   * `unknown`: it names the output of an earlier step, which there is only in a run. Or the requests of
   * the steps before it have a megabyte, and the answer shows no more.
   */
  would: 'run' | 'skip' | 'fail' | 'unknown' | (string & {});
  /** What it would send. Null if it would send nothing, or if that is unknown. */
  request: Record<string, unknown> | null;
  /** Why it would fail. Null if it would not. */
  error: string | null;
}

/** The events that start a run. */
export interface WorkflowTrigger {
  /** A type of events such as `reference.completed`, or all of a kind: `reference.*`. */
  type: string;
  /** All must match. Left out, each event of the type starts a run. */
  filters?: Array<WorkflowFilter>;
}

/** The events that start a run. */
export interface WorkflowTriggerInput {
  /** A type of events such as `reference.completed`, or all of a kind: `reference.*`. */
  type: string;
  /** All must match. Left out, each event of the type starts a run. */
  filters?: Array<WorkflowFilterInput> | undefined;
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
  /** The request that caused it, and its actor. */
  request: EventRequest;
  /** The account of the event. Only in deliveries to endpoints with `connected: true`. */
  account?: string;
  /**
   * The API version of the event’s contents. It is the version of the response. Left out in deliveries:
   * their header `Service-Version` has it.
   */
  api_version?: string;
}

/**
 * Steps that run when something happens. A trigger names the events. For each matching event, the
 * server makes a workflow run, which takes the steps in their order.
 */
export interface WorkflowWithSecret {
  /** The id of the workflow. */
  id: string;
  /** The kind of the object. */
  object: 'workflow';
  /** When it was created, in seconds since the Unix epoch. */
  created: number;
  /** The name, which events of its runs show as their actor. */
  name: string;
  /** The events that start a run. */
  trigger: WorkflowTrigger;
  /** The steps, in their order: 1 to 20. */
  steps: Array<WorkflowStep>;
  /** What its `api` steps may do. You can only give permissions that you hold yourself. */
  permissions: Array<string>;
  /** The version of the events and bodies in its steps: that of your account when you made it. */
  api_version: string;
  /** Grows by one with each change of the definition. A run keeps its copy. */
  version: number;
  /** `draft` until it is activated, then `active` or `paused`, and at last `archived`. */
  status: WorkflowStatus | (string & {});
  /** Why the server has paused it. Null if it has not. */
  paused_reason: string | null;
  /** When it was last activated, in seconds since the Unix epoch. Null if it was not. */
  activated_at: number | null;
  /** When it was paused, in seconds since the Unix epoch. Null if it is not paused. */
  paused_at: number | null;
  /** When it was archived, in seconds since the Unix epoch. Null if it is not. */
  archived_at: number | null;
  /** Your own key-value pairs, such as ids of your system. Empty if there are none. */
  metadata: Metadata;
  /**
   * The key for the signatures of its `http` steps: the whole text `whsec_…`. Keys with
   * `workflows.write` see it when they create or retrieve the workflow.
   */
  signing_secret: string;
  /** The account of the record. Only in responses to requests with `Service-Context`. */
  account?: string;
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
   * Linked records to return instead of their ids: `data.application`, `data.customer`,
   * `data.reference_pdf`, `data.earlier_reports`. Follow further links with dots, up to four. Your key
   * needs the permission to read them.
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
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesRetrieveParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
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
  reference_pdf?: string | undefined;
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
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesEraseParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesCancelParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface ReferencesRetryParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsListParams {
  /** Only applications of this person. */
  customer?: string | undefined;
  /** Only records with this `unit`. */
  unit?: string | undefined;
  /** Only records with this `status`. */
  status?: 'open' | 'approved' | 'rejected' | 'withdrawn' | 'converted' | undefined;
  /** Only records with this `tenancy`. */
  tenancy?: string | undefined;
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
   * Linked records to return instead of their ids: `data.customers`, `data.unit`, `data.guarantors`,
   * `data.tenancy`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsCreateParams {
  /** The ids of the persons that apply together: customers of this API, or of your own system. */
  customers?: Array<string> | null | undefined;
  /** The id of the home: a unit of this API, or of your own system. Null if you sent none. */
  unit?: string | null | undefined;
  /** The rent. Null if it is not known. */
  rent?: RentInput | null | undefined;
  /** The day on which the applicants want to move in. Null if it is not known. */
  move_in_date?: string | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `customers`, `unit`, `guarantors`, `tenancy`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `customers`, `unit`, `guarantors`, `tenancy`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsUpdateParams {
  /** The ids of the persons that apply together: customers of this API, or of your own system. */
  customers?: Array<string> | null | undefined;
  /** The id of the home: a unit of this API, or of your own system. Null if you sent none. */
  unit?: string | null | undefined;
  /** The rent. Null if it is not known. */
  rent?: RentInput | null | undefined;
  /** The day on which the applicants want to move in. Null if it is not known. */
  move_in_date?: string | null | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `customers`, `unit`, `guarantors`, `tenancy`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsApproveParams {
  /** A note on the decision. The applicants do not see it. */
  note?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `customers`, `unit`, `guarantors`, `tenancy`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsRejectParams {
  /** The reasons, the most important first. */
  reasons: Array<RejectionReason>;
  /** A note on the decision. The applicants do not see it. */
  note?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `customers`, `unit`, `guarantors`, `tenancy`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsWithdrawParams {
  /**
   * Linked records to return instead of their ids: `customers`, `unit`, `guarantors`, `tenancy`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsRequestReviewParams {
  /** What the applicants say about the decision. */
  message?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `customers`, `unit`, `guarantors`, `tenancy`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApplicationsReviewParams {
  /** `upheld`: the application stays rejected. `changed`: it is open again. */
  result: 'upheld' | 'changed';
  /** The grounds of the result. */
  note: string;
  /**
   * Linked records to return instead of their ids: `customers`, `unit`, `guarantors`, `tenancy`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface GuarantorsListParams {
  /** Only records with this `application`. */
  application?: string | undefined;
  /** Only records with this `customer`. */
  customer?: string | undefined;
  /** Only records with this `tenancy`. */
  tenancy?: string | undefined;
  /** Only records with this `status`. */
  status?: GuarantorStatus | undefined;
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
   * Linked records to return instead of their ids: `data.application`, `data.customer`,
   * `data.guarantees`, `data.file`, `data.reference`, `data.tenancy`. Follow further links with dots, up
   * to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface GuarantorsCreateParams {
  /** The id of the application. */
  application: string;
  /** The id of the guarantor’s person: a customer of this API, or of your own system. It is no applicant. */
  customer: string;
  /** The ids of the applicants that the guarantor stands for. Null means all. */
  guarantees?: Array<string> | null | undefined;
  /** The most that the guarantor pays. Null if there is no limit. */
  limit?: MoneyInput | null | undefined;
  /** The id of the file with the deed of guarantee. Null if there is none. */
  file?: string | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `guarantees`, `file`,
   * `reference`, `tenancy`. Follow further links with dots, up to four. Your key needs the permission to
   * read them.
   */
  expand?: Array<string> | undefined;
}

export interface GuarantorsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `guarantees`, `file`,
   * `reference`, `tenancy`. Follow further links with dots, up to four. Your key needs the permission to
   * read them.
   */
  expand?: Array<string> | undefined;
}

export interface GuarantorsUpdateParams {
  /** The ids of the applicants that the guarantor stands for. Null means all. */
  guarantees?: Array<string> | null | undefined;
  /** The most that the guarantor pays. Null if there is no limit. */
  limit?: MoneyInput | null | undefined;
  /** The id of the file with the deed of guarantee. Null if there is none. */
  file?: string | null | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `guarantees`, `file`,
   * `reference`, `tenancy`. Follow further links with dots, up to four. Your key needs the permission to
   * read them.
   */
  expand?: Array<string> | undefined;
}

export interface GuarantorsAgreeParams {
  /** The day of the agreement: today or earlier. */
  agreed_on: string;
  /** The id of the file with the deed of guarantee. */
  file?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `guarantees`, `file`,
   * `reference`, `tenancy`. Follow further links with dots, up to four. Your key needs the permission to
   * read them.
   */
  expand?: Array<string> | undefined;
}

export interface GuarantorsDeclineParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `guarantees`, `file`,
   * `reference`, `tenancy`. Follow further links with dots, up to four. Your key needs the permission to
   * read them.
   */
  expand?: Array<string> | undefined;
}

export interface GuarantorsReleaseParams {
  /** The day on which the guarantee ended: today or earlier. */
  released_on: string;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `guarantees`, `file`,
   * `reference`, `tenancy`. Follow further links with dots, up to four. Your key needs the permission to
   * read them.
   */
  expand?: Array<string> | undefined;
}

export interface BuildingsListParams {
  /** Only archived ones, or only the others. */
  archived?: 'true' | 'false' | undefined;
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
}

export interface BuildingsCreateParams {
  /** The name that your team uses for the building. */
  name: string;
  /** The address of the building. Its units have the same one. */
  address: BuildingAddressInput;
  /**
   * The law that applies to homes here. Null means that of the account, `rules.ruleset`. Only `england`
   * has checks yet.
   */
  jurisdiction?: Jurisdiction | null | undefined;
  /** Whether your team no longer manages it. */
  archived?: boolean | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
}

export interface BuildingsUpdateParams {
  /** The name that your team uses for the building. */
  name?: string | undefined;
  /** The address of the building. Its units have the same one. */
  address?: BuildingAddressInput | undefined;
  /**
   * The law that applies to homes here. Null means that of the account, `rules.ruleset`. Only `england`
   * has checks yet.
   */
  jurisdiction?: Jurisdiction | null | undefined;
  /** Whether your team no longer manages it. */
  archived?: boolean | null | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
}

export interface UnitsListParams {
  /** Only records with this `building`. */
  building?: string | undefined;
  /** Only records with this `tenancy`. */
  tenancy?: string | undefined;
  /** Only records with this `type`. */
  type?: UnitType | undefined;
  /** Only records with this `status`. */
  status?: UnitStatus | undefined;
  /** Only units that are advertised, or only the others. */
  on_market?: 'true' | 'false' | undefined;
  /** Only archived units, or only the others. */
  archived?: 'true' | 'false' | undefined;
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
   * Linked records to return instead of their ids: `data.building`, `data.tenancy`, `data.next_tenancy`,
   * `data.holding_deposit`. Follow further links with dots, up to four. Your key needs the permission to
   * read them.
   */
  expand?: Array<string> | undefined;
}

export interface UnitsCreateParams {
  /** The id of its building. */
  building: string;
  /** The name within the building, such as `Flat 2`. */
  name: string;
  /** The kind of the home. A house that is let by the room has a unit for each room. */
  type?: UnitType | null | undefined;
  /** The number of bedrooms. Null if it is not known. */
  bedrooms?: number | null | undefined;
  /** The number of people that may live there. Null if it is not known. */
  max_occupants?: number | null | undefined;
  /** The rent that is asked. Null if it is not known. */
  rent?: RentInput | null | undefined;
  /** Whether it is advertised. In England, an advertised home must have a `rent`. */
  on_market?: boolean | null | undefined;
  /** Whether your team no longer lets it. An archived home is not on the market. */
  archived?: boolean | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `building`, `tenancy`, `next_tenancy`,
   * `holding_deposit`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface UnitsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `building`, `tenancy`, `next_tenancy`,
   * `holding_deposit`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface UnitsUpdateParams {
  /** The name within the building, such as `Flat 2`. */
  name?: string | undefined;
  /** The number of bedrooms. Null if it is not known. */
  bedrooms?: number | null | undefined;
  /** The number of people that may live there. Null if it is not known. */
  max_occupants?: number | null | undefined;
  /** The rent that is asked. Null if it is not known. */
  rent?: RentInput | null | undefined;
  /** Whether it is advertised. In England, an advertised home must have a `rent`. */
  on_market?: boolean | null | undefined;
  /** Whether your team no longer lets it. An archived home is not on the market. */
  archived?: boolean | null | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `building`, `tenancy`, `next_tenancy`,
   * `holding_deposit`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesListParams {
  /** Only records with this `unit`. */
  unit?: string | undefined;
  /** Only records with this `application`. */
  application?: string | undefined;
  /** Only records with this `status`. */
  status?: TenancyStatus | undefined;
  /** Only records with this `type`. */
  type?: TenancyType | undefined;
  /** Only tenancies of this person. */
  customer?: string | undefined;
  /** Only tenancies with invoices that are overdue, or only the others. */
  in_arrears?: 'true' | 'false' | undefined;
  /** Bounds of `start_date`. */
  start_date?:
    | {
        /** Only records whose `start_date` is after this day. */
        gt?: string | undefined;
        /** Only records whose `start_date` is on or after this day. */
        gte?: string | undefined;
        /** Only records whose `start_date` is before this day. */
        lt?: string | undefined;
        /** Only records whose `start_date` is on or before this day. */
        lte?: string | undefined;
      }
    | undefined;
  /** Bounds of `end_date`. */
  end_date?:
    | {
        /** Only records whose `end_date` is after this day. */
        gt?: string | undefined;
        /** Only records whose `end_date` is on or after this day. */
        gte?: string | undefined;
        /** Only records whose `end_date` is before this day. */
        lt?: string | undefined;
        /** Only records whose `end_date` is on or before this day. */
        lte?: string | undefined;
      }
    | undefined;
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
   * Linked records to return instead of their ids: `data.unit`, `data.customers`, `data.application`,
   * `data.replaces`, `data.agreement`, `data.guarantors`, `data.deposit`, `data.pet_requests.customer`.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesCreateParams {
  /** The id of the home. */
  unit: string;
  /** The ids of the tenants, who are jointly liable. The first is the lead tenant. */
  customers: Array<string>;
  /** The first day. */
  start_date: string;
  /** The last day. Null while it is unknown, which is until a notice. */
  end_date?: string | null | undefined;
  /** The rent. */
  rent: TenancyRentInput;
  /** The kind of tenancy. An assured one is the usual let of a home to a person. */
  type?: TenancyType | null | undefined;
  /** The id of the application that led to it. Null if there was none. */
  application?: string | null | undefined;
  /** The id of the tenancy before it, of other tenants of the same home. Null if there is none. */
  replaces?: string | null | undefined;
  /** The id of the file with the signed agreement. Null if there is none. */
  agreement?: string | null | undefined;
  /**
   * The day on which the tenants got the written statement of terms (Housing Act 1988, s16D). Null if
   * they did not.
   */
  statement_given_on?: string | null | undefined;
  /**
   * The day on which the rent last rose by a notice or a tribunal. Send it for a tenancy that began in
   * another system. Null if the rent never rose.
   */
  rent_increased_on?: string | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesRetrieveParams {
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesUpdateParams {
  /** The first day. */
  start_date?: string | undefined;
  /** The last day. Null while it is unknown, which is until a notice. */
  end_date?: string | null | undefined;
  /** The rent. */
  rent?: TenancyRentInput | undefined;
  /** The id of the file with the signed agreement. Null if there is none. */
  agreement?: string | null | undefined;
  /**
   * The day on which the tenants got the written statement of terms (Housing Act 1988, s16D). Null if
   * they did not.
   */
  statement_given_on?: string | null | undefined;
  /**
   * The day on which the rent last rose by a notice or a tribunal. Send it for a tenancy that began in
   * another system. Null if the rent never rose.
   */
  rent_increased_on?: string | null | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesSignParams {
  /** The day of the last signature: today or earlier. */
  signed_on: string;
  /** The id of the file with the signed agreement. */
  agreement?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesGiveNoticeParams {
  /** The side that gives it. One of joint tenants is enough. */
  by: 'tenant' | 'landlord' | 'mutual';
  /** The day on which it was served: today or earlier. */
  served_on: string;
  /** The day on which the tenancy ends by it. */
  ends_on: string;
  /** A landlord’s grounds, from Schedule 2 to the Housing Act 1988. */
  grounds?: Array<string> | null | undefined;
  /** Whether both sides agreed to a shorter notice in writing. */
  agreed_in_writing?: boolean | null | undefined;
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesWithdrawNoticeParams {
  /** Must be true: both sides have agreed in writing. */
  agreed_in_writing: true;
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesEndParams {
  /** The last day: today or earlier. */
  ended_on: string;
  /** How it ended. An end by a notice needs no call. */
  reason: 'surrender' | 'possession_order' | 'abandonment' | 'death' | 'other';
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesCancelParams {
  /** Why it is canceled, in a sentence. */
  reason?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesRequestPetParams {
  /** The tenant that asks. */
  customer: string;
  /** The pet, or the information that the landlord asked for. */
  description: string;
  /** Only for information: the number of the earlier request. */
  number?: number | null | undefined;
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesAnswerPetParams {
  /** The number of the request. */
  number: number;
  /** The landlord’s answer. */
  answer: 'granted' | 'refused' | 'information_asked';
  /** The reason. A refusal needs one. */
  reason?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `unit`, `customers`, `application`, `replaces`,
   * `agreement`, `guarantors`, `deposit`, `pet_requests.customer`. Follow further links with dots, up to
   * four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsListParams {
  /** Only records with this `type`. */
  type?: DepositType | undefined;
  /** Only records with this `status`. */
  status?: DepositStatus | undefined;
  /** Only records with this `application`. */
  application?: string | undefined;
  /** Only records with this `tenancy`. */
  tenancy?: string | undefined;
  /** Only records with this `unit`. */
  unit?: string | undefined;
  /** Only deposits that this person pays. */
  customer?: string | undefined;
  /** Bounds of `protect_by`. */
  protect_by?:
    | {
        /** Only records whose `protect_by` is after this day. */
        gt?: string | undefined;
        /** Only records whose `protect_by` is on or after this day. */
        gte?: string | undefined;
        /** Only records whose `protect_by` is before this day. */
        lt?: string | undefined;
        /** Only records whose `protect_by` is on or before this day. */
        lte?: string | undefined;
      }
    | undefined;
  /** Bounds of `decide_by`. */
  decide_by?:
    | {
        /** Only records whose `decide_by` is after this day. */
        gt?: string | undefined;
        /** Only records whose `decide_by` is on or after this day. */
        gte?: string | undefined;
        /** Only records whose `decide_by` is before this day. */
        lt?: string | undefined;
        /** Only records whose `decide_by` is on or before this day. */
        lte?: string | undefined;
      }
    | undefined;
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
   * Linked records to return instead of their ids: `data.application`, `data.tenancy`, `data.unit`,
   * `data.payer`, `data.certificate`, `data.file`, `data.applied_to.deposit`, `data.applied_to.tenancy`,
   * `data.deductions.invoice`.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsCreateParams {
  /**
   * `holding`: it reserves the home of an application. `tenancy`: it secures the duties of the tenants
   * of a tenancy.
   */
  type: DepositType;
  /** The id of the application, for a holding deposit. Its unit must be a record of this account. */
  application?: string | null | undefined;
  /** The id of the tenancy, for a tenancy deposit. A draft will do. */
  tenancy?: string | null | undefined;
  /** In the smallest unit of the currency: 21923 is 219.23 pounds. */
  amount: number;
  /** The id of the person that pays it. Null if it is not known. */
  payer?: string | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsUpdateParams {
  /** In the smallest unit of the currency: 21923 is 219.23 pounds. */
  amount?: number | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsExtendParams {
  /** The new last day for the decision of both sides. It is later than the present one. */
  decide_by: string;
  /** Must be true: both sides have agreed in writing. */
  agreed_in_writing: true;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsApplyParams {
  /** The parts: each with a deposit or a tenancy. */
  to: Array<{
    /**
     * The id of a pending tenancy deposit. Its tenancy is signed, and is of the application of the holding
     * deposit.
     */
    deposit?: string | null | undefined;
    /** The id of a tenancy of the application. Its oldest due invoices are paid first. */
    tenancy?: string | null | undefined;
    /** In the smallest unit of the currency: 21923 is 219.23 pounds. */
    amount: number;
  }>;
  /** Must be true: the payer consents. */
  payer_consents: true;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsRetainParams {
  /** In the smallest unit of the currency: 21923 is 219.23 pounds. */
  amount: number;
  /** The reason by law. */
  reason: RetentionReason;
  /** The reason in words, as the applicants get it. */
  explanation: string;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsReturnParams {
  /** The part that goes back. By default, all that is held. */
  amount?: number | null | undefined;
  /** The day on which the money went back: today or earlier, and not before money of the deposit came. */
  returned_on: string;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsProtectParams {
  /** The scheme that protects it. */
  scheme: DepositScheme;
  /** The reference of the deposit in the scheme. */
  scheme_reference: string;
  /** The day of the protection: today or earlier, and not before money of the deposit came. */
  protected_on: string;
  /** The id of the file with the certificate of the scheme. */
  certificate?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsGiveInformationParams {
  /** The day on which the tenants got it: today or earlier, and not before money of the deposit came. */
  given_on: string;
  /** The id of the file with the prescribed information. */
  file?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsProposeReleaseParams {
  /** What the landlord wants to keep. Empty for nothing. */
  deductions: Array<DepositDeductionInput>;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsDisputeParams {
  /** The part of the proposed deductions in dispute, in the smallest unit of the currency. */
  amount: number;
  /** The reference of the dispute in the scheme. */
  reference?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsReleaseParams {
  /** What the landlord keeps in the end. Empty for nothing. */
  deductions: Array<DepositDeductionInput>;
  /** The day on which the rest went back: today or earlier, and not before money of the deposit came. */
  returned_on: string;
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface DepositsCancelParams {
  /**
   * Linked records to return instead of their ids: `application`, `tenancy`, `unit`, `payer`,
   * `certificate`, `file`, `applied_to.deposit`, `applied_to.tenancy`, `deductions.invoice`. Follow
   * further links with dots, up to four.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsListParams {
  /** Only records with this `tenancy`. */
  tenancy?: string | undefined;
  /** Only records with this `status`. */
  status?: SubscriptionStatus | undefined;
  /** Only records with this `type`. */
  type?: SubscriptionType | undefined;
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
   * Linked records to return instead of their ids: `data.tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsCreateParams {
  /** The id of the tenancy whose tenants are charged. */
  tenancy: string;
  /**
   * `rent`, of which a tenancy has one for each day, or a `service` beside it. A rent with an `end_date`
   * can have a successor that starts later.
   */
  type?: SubscriptionType | null | undefined;
  /**
   * The type of the lines of its invoices. For a rent, it is `rent`. For a service, it is `other` by
   * default.
   */
  line_type?: 'utility' | 'council_tax' | 'tv_licence' | 'communication' | 'other' | null | undefined;
  /** The first words of its invoices. By default `Rent` or `Service`. */
  description?: string | null | undefined;
  /** The price of a full period, in the smallest unit of the currency. */
  amount?: number | null | undefined;
  /** The unit of its periods. The default is the unit of the rent. */
  interval?: 'week' | 'month' | null | undefined;
  /** The number of weeks or months in a period. The default is the number of the rent. */
  interval_count?: number | null | undefined;
  /**
   * The first day that is charged. The default is the first day of the tenancy. Tenure invoices past
   * periods at once.
   */
  start_date?: string | null | undefined;
  /** The last day that is charged. Null if the subscription lasts until the tenancy ends. */
  end_date?: string | null | undefined;
  /**
   * The day on which periods begin. In a month it is 1 to 31, and in a week 1 (Monday) to 7 (Sunday). A
   * shorter month has its last day instead. The default is the day of `start_date`.
   */
  anchor_day?: number | null | undefined;
  /** The number of days from the first day of a period until its invoice is due. */
  due_after?: number | null | undefined;
  /** The number of days from the invoice until it is due. No period is invoiced before the signature. */
  invoice_before?: number | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsUpdateParams {
  /** The first words of its invoices. By default `Rent` or `Service`. */
  description?: string | null | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsChangeAmountParams {
  /** The new price of a full period, in the smallest unit of the currency. */
  amount: number;
  /** The first day of a period that is not invoiced yet. */
  effective_on: string;
  /** The legal basis. An assured tenancy can only get more rent by `section_13` or `tribunal`. */
  basis: RentChangeBasis;
  /** The day on which the notice was served. `section_13` needs it. */
  served_on?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsCancelChangeParams {
  /**
   * Linked records to return instead of their ids: `tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsPauseParams {
  /** The day on which the pause ends. By default, the pause lasts until you call `resume`. */
  resume_on?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsResumeParams {
  /**
   * Linked records to return instead of their ids: `tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface SubscriptionsCancelParams {
  /** The last day that is charged. By default the last that is invoiced. */
  end_date?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface InvoicesListParams {
  /** Only invoices of this tenant. */
  customer?: string | undefined;
  /** Only records with this `tenancy`. */
  tenancy?: string | undefined;
  /** Only records with this `subscription`. */
  subscription?: string | undefined;
  /** Only records with this `status`. */
  status?: InvoiceStatus | undefined;
  /** Only the invoice with this number. */
  number?: string | undefined;
  /** Only overdue invoices, or only the others. */
  overdue?: 'true' | 'false' | undefined;
  /** Bounds of `due_on`. */
  due_on?:
    | {
        /** Only records whose `due_on` is after this day. */
        gt?: string | undefined;
        /** Only records whose `due_on` is on or after this day. */
        gte?: string | undefined;
        /** Only records whose `due_on` is before this day. */
        lt?: string | undefined;
        /** Only records whose `due_on` is on or before this day. */
        lte?: string | undefined;
      }
    | undefined;
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
   * Linked records to return instead of their ids: `data.tenancy`, `data.subscription`,
   * `data.customers`, `data.lines.invoice`. Follow further links with dots, up to four. Your key needs
   * the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface InvoicesCreateParams {
  /** The id of the tenancy that owes it. */
  tenancy: string;
  /** The lines. They add up to `total`. */
  lines: Array<InvoiceLineInput>;
  /** The last day on which it can be paid in time. */
  due_on: string;
  /** Whether it is owed at once. The default is false: a draft. */
  finalize?: boolean | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`, `subscription`, `customers`,
   * `lines.invoice`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface InvoicesRetrieveParams {
  /**
   * Linked records to return instead of their ids: `tenancy`, `subscription`, `customers`,
   * `lines.invoice`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface InvoicesUpdateParams {
  /** The lines. They add up to `total`. */
  lines?: Array<InvoiceLineInput> | undefined;
  /** The last day on which it can be paid in time. */
  due_on?: string | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`, `subscription`, `customers`,
   * `lines.invoice`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface InvoicesFinalizeParams {
  /**
   * Linked records to return instead of their ids: `tenancy`, `subscription`, `customers`,
   * `lines.invoice`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface InvoicesCreditParams {
  /**
   * In the smallest unit of the currency. What payments settled beyond the rest becomes free, and
   * settles the oldest due invoices.
   */
  amount: number;
  /** The reason. */
  reason: string;
  /**
   * Linked records to return instead of their ids: `tenancy`, `subscription`, `customers`,
   * `lines.invoice`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface InvoicesVoidParams {
  /** The reason. */
  reason: string;
  /**
   * Linked records to return instead of their ids: `tenancy`, `subscription`, `customers`,
   * `lines.invoice`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface InvoicesMarkUncollectibleParams {
  /**
   * Linked records to return instead of their ids: `tenancy`, `subscription`, `customers`,
   * `lines.invoice`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsListParams {
  /** Only records with this `tenancy`. */
  tenancy?: string | undefined;
  /** Only records with this `deposit`. */
  deposit?: string | undefined;
  /** Only records with this `customer`. */
  customer?: string | undefined;
  /** Only records with this `status`. */
  status?: PaymentStatus | undefined;
  /** Only records with this `method`. */
  method?: PaymentMethod | undefined;
  /** Bounds of `received_on`. */
  received_on?:
    | {
        /** Only records whose `received_on` is after this day. */
        gt?: string | undefined;
        /** Only records whose `received_on` is on or after this day. */
        gte?: string | undefined;
        /** Only records whose `received_on` is before this day. */
        lt?: string | undefined;
        /** Only records whose `received_on` is on or before this day. */
        lte?: string | undefined;
      }
    | undefined;
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
   * Linked records to return instead of their ids: `data.tenancy`, `data.deposit`, `data.customer`,
   * `data.allocations.invoice`, `data.bank_line`. Follow further links with dots, up to four. Your key
   * needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsCreateParams {
  /** The id of the tenancy that it is for. Null if it is for a deposit. */
  tenancy?: string | null | undefined;
  /** The id of the deposit that it is for. Null if it is for a tenancy. */
  deposit?: string | null | undefined;
  /** In the smallest unit of the currency: 95000 is 950.00 pounds. */
  amount: number;
  /**
   * The way in which the money came. `deposit` and `holding_deposit` are payments that `release` and
   * `apply` of a deposit make.
   */
  method: 'bank_transfer' | 'standing_order' | 'direct_debit' | 'card' | 'cash' | 'cheque' | 'other';
  /**
   * `pending` until the money is sure, then `succeeded`. `failed`: it did not come, or it bounced.
   * `refunded`: all of the money went back.
   */
  status?: 'pending' | 'succeeded' | null | undefined;
  /**
   * The day on which the money came. By default today. A `pending` payment has none: `succeed` sets it,
   * or the gateway does when it has taken the money.
   */
  received_on?: string | null | undefined;
  /**
   * The payment gateway that collects the money. Null if you collect it yourself. By default, the
   * account’s `payment_provider` collects payments of a tenancy with the `method` `direct_debit` or
   * `card`.
   */
  provider?: PaymentProvider | null | undefined;
  /** The id of the person that paid. Null if it is not known. */
  customer?: string | null | undefined;
  /** The reference that the bank shows. Null if there is none. */
  reference?: string | null | undefined;
  /** The invoices that it settles. By default, the oldest due ones. */
  allocations?: Array<AllocationInput> | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsUpdateParams {
  /** The reference that the bank shows. Null if there is none. */
  reference?: string | null | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsSucceedParams {
  /** The day on which the money came: today or earlier. The default is today. */
  received_on?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsFailParams {
  /** The code of the bank or the gateway. */
  code: string;
  /** The reason in words. */
  message?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsCancelParams {
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsAllocateParams {
  /** All invoices that it settles from now on. */
  allocations: Array<AllocationInput>;
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentsRefundParams {
  /** In the smallest unit of the currency. */
  amount: number;
  /** The reason. */
  reason?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PaymentImportsListParams {
  /** Only records with this `status`. */
  status?: PaymentImportStatus | undefined;
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
}

export interface PaymentsImportParams {
  /** The file, with a filename: a bank statement as CSV of up to 1 MB. */
  file: Blob;
}

export interface BankLinesListParams {
  /** Only records with this `import`. */
  import?: string | undefined;
  /** Only records with this `status`. */
  status?: BankLineStatus | undefined;
  /** Only records with this `tenancy`. */
  tenancy?: string | undefined;
  /** Only records with this `customer`. */
  customer?: string | undefined;
  /** Bounds of `received_on`. */
  received_on?:
    | {
        /** Only records whose `received_on` is after this day. */
        gt?: string | undefined;
        /** Only records whose `received_on` is on or after this day. */
        gte?: string | undefined;
        /** Only records whose `received_on` is before this day. */
        lt?: string | undefined;
        /** Only records whose `received_on` is on or before this day. */
        lte?: string | undefined;
      }
    | undefined;
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
   * Linked records to return instead of their ids: `data.import`, `data.tenancy`, `data.customer`,
   * `data.candidates.tenancy`, `data.payment`. Follow further links with dots, up to four. Your key
   * needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface BankLinesRetrieveParams {
  /**
   * Linked records to return instead of their ids: `import`, `tenancy`, `customer`,
   * `candidates.tenancy`, `payment`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface BankLinesEraseParams {
  /**
   * Linked records to return instead of their ids: `import`, `tenancy`, `customer`,
   * `candidates.tenancy`, `payment`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface BankLinesConfirmParams {
  /** The id of the tenancy whose money it is. By default the proposed one. */
  tenancy?: string | undefined;
  /**
   * The id of the person that paid. The default is the `customer` of the proposal, if the proposal is
   * for this tenancy.
   */
  customer?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `import`, `tenancy`, `customer`,
   * `candidates.tenancy`, `payment`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface BankLinesIgnoreParams {
  /**
   * Linked records to return instead of their ids: `import`, `tenancy`, `customer`,
   * `candidates.tenancy`, `payment`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface BankLinesReopenParams {
  /**
   * Linked records to return instead of their ids: `import`, `tenancy`, `customer`,
   * `candidates.tenancy`, `payment`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TenanciesListLedgerParams {
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
   * Linked records to return instead of their ids: `data.tenancy`, `data.invoice`, `data.payment`.
   * Follow further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface CustomersListParams {
  /** Only customers with this address. Capital and small ASCII letters are equal. */
  email?: string | undefined;
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
   * Linked records to return instead of their ids: `data.right_to_rent.files`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface CustomersCreateParams {
  /** The full name. */
  name: string;
  /** The e-mail address. Null if it is not known. */
  email?: string | null | undefined;
  /** The phone number, as you sent it. Null if it is not known. */
  phone?: string | null | undefined;
  /** The day of birth. Null if it is not known. */
  date_of_birth?: string | null | undefined;
  /**
   * The current and earlier addresses, in the order in which you sent them. An update replaces all of
   * them.
   */
  addresses?: Array<AddressInput> | null | undefined;
  /** The check of the right to rent (Immigration Act 2014, s22). Null if none was recorded. */
  right_to_rent?: RightToRentInput | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `right_to_rent.files`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface CustomersRetrieveParams {
  /**
   * Linked records to return instead of their ids: `right_to_rent.files`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface CustomersUpdateParams {
  /** The full name. */
  name?: string | undefined;
  /** The e-mail address. Null if it is not known. */
  email?: string | null | undefined;
  /** The phone number, as you sent it. Null if it is not known. */
  phone?: string | null | undefined;
  /** The day of birth. Null if it is not known. */
  date_of_birth?: string | null | undefined;
  /**
   * The current and earlier addresses, in the order in which you sent them. An update replaces all of
   * them.
   */
  addresses?: Array<AddressInput> | null | undefined;
  /** The check of the right to rent (Immigration Act 2014, s22). Null if none was recorded. */
  right_to_rent?: RightToRentInput | null | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `right_to_rent.files`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface RetentionHoldsListParams {
  /** Only records with this `customer`. */
  customer?: string | undefined;
  /** Only records with this `kind`. */
  kind?: RetentionHoldKind | undefined;
  /** Only records with this `status`. */
  status?: RetentionHoldStatus | undefined;
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
   * Linked records to return instead of their ids: `data.customer`. Follow further links with dots, up
   * to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface RetentionHoldsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `customer`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface RetentionHoldsRevealParams {
  /** Why the data is needed. The log of the request keeps it. */
  reason: string;
  /**
   * Linked records to return instead of their ids: `customer`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface FilesListParams {
  /** The purpose of the file. The report of a reference is a `reference_report`. */
  purpose?: FilePurpose | undefined;
  /** Only records with this `customer`. */
  customer?: string | undefined;
  /** Only records with this `reference`. */
  reference?: string | undefined;
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
   * Linked records to return instead of their ids: `data.customer`, `data.reference`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface FilesCreateParams {
  /** The purpose of the file. The report of a reference is a `reference_report`. */
  purpose: FilePurpose;
  /**
   * The id of the reference for which the file is evidence. If you leave it out, no erasure of a
   * reference finds the file as evidence.
   */
  reference?: string | undefined;
  /** The file, with a filename: a PDF, a JPEG or a PNG of up to 10 MB. */
  file: Blob;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `customer`, `reference`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface FilesRetrieveParams {
  /**
   * Linked records to return instead of their ids: `customer`, `reference`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface FilesUpdateParams {
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `customer`, `reference`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface FilesLinksParams {
  /**
   * How long the link can be opened, in seconds: from an hour to thirty days. The default is 604800,
   * seven days.
   */
  expires_in?: number | undefined;
  /** The person that gets the link, in your own words, such as `Mr Okafor, landlord`. */
  recipient?: string | null | undefined;
  /** The address to which the link is sent by e-mail. If you leave it out, hand the `url` over yourself. */
  recipient_email?: string | null | undefined;
}

export interface FileLinksListParams {
  /** Only records with this `file`. */
  file?: string | undefined;
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
   * Linked records to return instead of their ids: `data.file`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface FileLinksRetrieveParams {
  /**
   * Linked records to return instead of their ids: `file`. Follow further links with dots, up to four.
   * Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface FileLinksRevokeParams {
  /**
   * Linked records to return instead of their ids: `file`. Follow further links with dots, up to four.
   * Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PortalSessionsListParams {
  /** Only records with this `customer`. */
  customer?: string | undefined;
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
   * Linked records to return instead of their ids: `data.customer`. Follow further links with dots, up
   * to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PortalSessionsCreateParams {
  /** The id of the person: a customer of this API. */
  customer: string;
  /**
   * The parts of the portal that the person can use. `details`: contact details. `documents`: files.
   * `applications`: applications. `money`: ledger, invoices, payments and deposits. `notice`: notices.
   * `pets`: requests for pets. By default all.
   */
  features?: Array<PortalFeature> | null | undefined;
  /**
   * The address of your page to which the portal leads back: https, or http on this machine. Null if
   * there is none.
   */
  return_url?: string | null | undefined;
  /**
   * How long the link can be opened, in seconds: from five minutes to seven days. The default is 3600,
   * an hour.
   */
  expires_in?: number | undefined;
  /**
   * Whether the link is sent to the e-mail address of the person. By default it is not: hand the `url`
   * over yourself.
   */
  send_email?: boolean | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
  /**
   * Linked records to return instead of their ids: `customer`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PortalSessionsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `customer`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface PortalSessionsEndParams {
  /**
   * Linked records to return instead of their ids: `customer`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface EventsListParams {
  /** Only events about the record with this id. */
  object_id?: string | undefined;
  /** Only events of the record with this id, and of records that link to it or did so before. */
  related_object?: string | undefined;
  /**
   * Only events that this actor caused: the id of a user or an API key, or a type of actors (`user`,
   * `api_key`, `agent`, `system`).
   */
  actor?: string | undefined;
  /** Only events of this type. With a trailing `*`, only types that begin with this text: `reference.*`. */
  type?: string | undefined;
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
}

export interface EventsStreamParams {
  /** Only events about the record with this id. */
  object_id?: string | undefined;
  /** Only events of the record with this id, and of records that link to it or did so before. */
  related_object?: string | undefined;
  /**
   * Only events that this actor caused: the id of a user or an API key, or a type of actors (`user`,
   * `api_key`, `agent`, `system`).
   */
  actor?: string | undefined;
  /** Only events of this type. With a trailing `*`, only types that begin with this text: `reference.*`. */
  type?: string | undefined;
  /**
   * Resumes after the event with this id, `evt_…`, like `Last-Event-ID`. For clients that cannot send
   * this header. `beginning` stands before all stored events.
   */
  after?: string | undefined;
}

export interface LogsListParams {
  /** Only records with this `method`. */
  method?: 'POST' | 'DELETE' | undefined;
  /** Only records with this `path`. */
  path?: string | undefined;
  /** Only records with this `source`. */
  source?: RequestSource | undefined;
  /** Only records with this `idempotency_key`. */
  idempotency_key?: string | undefined;
  /** Only requests with this HTTP status, or with a status of this class: `404`, `4xx`. */
  status?: string | undefined;
  /** Only requests of the team member with this id, in the dashboard. */
  user?: string | undefined;
  /** Only requests of the portal session with this id. */
  portal_session?: string | undefined;
  /** Only requests that were refused with this error code: `parameter_invalid`. */
  error_code?: string | undefined;
  /** Only requests with the API key of this id. */
  key?: string | undefined;
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
}

export interface WebhookEndpointsListParams {
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
}

export interface WebhookEndpointsCreateParams {
  /**
   * The URL of the receiver: http or https (in live mode only https), without credentials, at a public
   * address.
   */
  url: string;
  /** Your description of its purpose. Null if you sent none. */
  description?: string | null | undefined;
  /**
   * The event types that it receives: `*` for all, `<resource>.*`, or `<resource>.<verb>`. Unknown names
   * are refused.
   */
  enabled_events?: Array<string> | null | undefined;
  /** The version of its deliveries. An upgrade of the account does not change it. */
  api_version?: string | null | undefined;
  /**
   * Whether it receives the events of connected accounts, each with its `account`, instead of your own.
   * You cannot change it later.
   */
  connected?: boolean | null | undefined;
  /**
   * `enabled` or `disabled`. A disabled endpoint gets no new deliveries, and its pending ones become
   * `canceled`. If you enable it again, it gets new events only.
   */
  status?: WebhookEndpointStatus | null | undefined;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
}

export interface WebhookEndpointsUpdateParams {
  /**
   * The URL of the receiver: http or https (in live mode only https), without credentials, at a public
   * address.
   */
  url?: string | undefined;
  /** Your description of its purpose. Null if you sent none. */
  description?: string | null | undefined;
  /**
   * The event types that it receives: `*` for all, `<resource>.*`, or `<resource>.<verb>`. Unknown names
   * are refused.
   */
  enabled_events?: Array<string> | undefined;
  /** The version of its deliveries. An upgrade of the account does not change it. */
  api_version?: string | undefined;
  /**
   * `enabled` or `disabled`. A disabled endpoint gets no new deliveries, and its pending ones become
   * `canceled`. If you enable it again, it gets new events only.
   */
  status?: WebhookEndpointStatus | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
}

export interface WebhookEndpointsRecoverParams {
  /**
   * The time from which to recover, in seconds since the Unix epoch. It must be within the retention
   * time.
   */
  since: number;
}

export interface WebhookEndpointsListDeliveriesParams {
  /** Only deliveries with this status. */
  status?: DeliveryStatus | undefined;
  /** Only deliveries of events of this type: `reference.completed`. */
  type?: string | undefined;
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
}

export interface EventsListDeliveriesParams {
  /** Only deliveries with this status. */
  status?: DeliveryStatus | undefined;
  /** Only deliveries of events of this type: `reference.completed`. */
  type?: string | undefined;
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
}

export interface EventsResendParams {
  /** The id of the endpoint. */
  webhook_endpoint: string;
}

export interface WebhookEndpointsListRecoveriesParams {
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
   * Linked records to return instead of their ids: `data.webhook_endpoint`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface WorkflowsListParams {
  /** Only workflows with this status. */
  status?: WorkflowStatus | undefined;
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
}

export interface WorkflowsCreateParams {
  /** The name, which events of its runs show as their actor. */
  name: string;
  /** The events that start a run. */
  trigger: WorkflowTriggerInput;
  /** The steps, in their order: 1 to 20. */
  steps: Array<WorkflowStepInput>;
  /** What its `api` steps may do. You can only give permissions that you hold yourself. */
  permissions: Array<string>;
  /**
   * Your own key-value pairs: up to 50, with keys of 1 to 40 characters without brackets, and values of
   * up to 500 characters.
   */
  metadata?: Record<string, string> | null | undefined;
}

export interface WorkflowsUpdateParams {
  /** The name, which events of its runs show as their actor. */
  name?: string | undefined;
  /** The events that start a run. */
  trigger?: WorkflowTriggerInput | undefined;
  /** The steps, in their order: 1 to 20. */
  steps?: Array<WorkflowStepInput> | undefined;
  /** What its `api` steps may do. You can only give permissions that you hold yourself. */
  permissions?: Array<string> | undefined;
  /**
   * Merged into the existing pairs: a pair replaces the one with its key, an empty string removes it,
   * and null clears all. A record has up to 50.
   */
  metadata?: Record<string, string> | null | undefined;
}

export interface WorkflowRunsListParams {
  /** Only runs of this workflow. */
  workflow?: string | undefined;
  /** Only runs that this event started. */
  event?: string | undefined;
  /** Only runs with this status. */
  status?: WorkflowRunStatus | undefined;
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
   * Linked records to return instead of their ids: `data.workflow`, `data.approval_request`. Follow
   * further links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface WorkflowRunsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `workflow`, `approval_request`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface WorkflowRunsCancelParams {
  /**
   * Linked records to return instead of their ids: `workflow`, `approval_request`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface WorkflowRunsRetryParams {
  /**
   * Linked records to return instead of their ids: `workflow`, `approval_request`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface AccountRetrieveParams {
  /**
   * Linked records to return instead of their ids: `parent`, `letterhead.logo`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface AccountUpdateParams {
  /** The name of the account. */
  name?: string | undefined;
  /** The referencing provider of references that name none. Null if none is set. */
  default_provider?: Provider | null | undefined;
  /**
   * `open`: links can have ids of your own system, which are not checked. `strict`: a link to a record
   * that does not exist here is refused.
   */
  linked_records?: LinkedRecords | undefined;
  /**
   * The time zone (IANA) whose calendar its days follow, such as today, due dates and notices. The
   * default is `Europe/London`.
   */
  time_zone?: string | undefined;
  /**
   * The law that Tenure checks the lets of the account against. `GET /v1/rulesets/{id}` lists the
   * checks. The default is `england`, with the severities of the law.
   */
  rules?: AccountRulesInput | undefined;
  /** Up to 12 capital letters and digits, the first a letter. */
  invoice_prefix?: string | undefined;
  /**
   * The last day of the accounting year, as month and day: `03-31`. For the end of February, send
   * `02-28`.
   */
  year_end?: string | undefined;
  /**
   * The sender that its invoices, statements and reports show as a PDF. Invoices and statements have its
   * bank account to pay to. Null if none is set: they show `name`.
   */
  letterhead?: LetterheadInput | null | undefined;
  /**
   * The payment gateway of new payments of tenancies by direct debit or card that name none. Null if you
   * collect them yourself.
   */
  payment_provider?: PaymentProvider | null | undefined;
  /**
   * Whether its team members need a second factor to use the dashboard. Null means: in live mode, but
   * not in a sandbox.
   */
  require_second_factor?: boolean | null | undefined;
  /** The account’s credentials for referencing providers. You can set them, and they are never shown. */
  provider_credentials?: ProviderCredentialsInput | undefined;
  /**
   * Linked records to return instead of their ids: `parent`, `letterhead.logo`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface AccountApiVersionParams {
  /** The date of a newer version. */
  api_version: string;
  /**
   * Linked records to return instead of their ids: `parent`, `letterhead.logo`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface AccountApiVersionRollbackParams {
  /**
   * Linked records to return instead of their ids: `parent`, `letterhead.logo`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface AccountsListParams {
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
   * Linked records to return instead of their ids: `data.parent`, `data.letterhead.logo`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface AccountsCreateParams {
  /** The name of the account. */
  name: string;
  /** The referencing provider of references that name none. Null if none is set. */
  default_provider?: Provider | null | undefined;
  /**
   * `open`: links can have ids of your own system, which are not checked. `strict`: a link to a record
   * that does not exist here is refused.
   */
  linked_records?: LinkedRecords | null | undefined;
  /**
   * The time zone (IANA) whose calendar its days follow, such as today, due dates and notices. The
   * default is `Europe/London`.
   */
  time_zone?: string | null | undefined;
  /**
   * The law that Tenure checks the lets of the account against. `GET /v1/rulesets/{id}` lists the
   * checks. The default is `england`, with the severities of the law.
   */
  rules?: AccountRulesInput | null | undefined;
  /** Up to 12 capital letters and digits, the first a letter. */
  invoice_prefix?: string | null | undefined;
  /**
   * The last day of the accounting year, as month and day: `03-31`. For the end of February, send
   * `02-28`.
   */
  year_end?: string | null | undefined;
  /**
   * The sender that its invoices, statements and reports show as a PDF. Invoices and statements have its
   * bank account to pay to. Null if none is set: they show `name`.
   */
  letterhead?: LetterheadInput | null | undefined;
  /**
   * The payment gateway of new payments of tenancies by direct debit or card that name none. Null if you
   * collect them yourself.
   */
  payment_provider?: PaymentProvider | null | undefined;
  /**
   * Linked records to return instead of their ids: `parent`, `letterhead.logo`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface AccountsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `parent`, `letterhead.logo`. Follow further links
   * with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApiKeysListParams {
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
}

export interface ApiKeysCreateParams {
  /**
   * `secret`: for your server, with every permission unless you send fewer. `restricted` and `agent`
   * need `permissions`. `agent` also needs a `name`.
   */
  type: ApiKeyType;
  /** The purpose of the key, shown in events and logs. Null if it has none. An agent key always has one. */
  name?: string | null | undefined;
  /**
   * Its permissions: `<resource>.read`, or `<resource>.write`, which includes reading. A key cannot
   * grant a permission that it does not have.
   */
  permissions?: Array<string> | null | undefined;
  /**
   * When it expires, in seconds since the Unix epoch. Null if it does not. An agent key expires after 30
   * days by default, and after 90 at most. No key expires later than the key that creates or rolls it.
   */
  expires_at?: number | null | undefined;
  /**
   * Only for an agent key: which of its requests wait for a person. The default is `sensitive`. Only a
   * person can send `none`.
   */
  approvals?: ApprovalPolicy | null | undefined;
}

export interface ApiKeysRollParams {
  /** How long the old key stays valid, in seconds, so that you can deploy the new one. The default is 0. */
  expires_in?: number | null | undefined;
}

export interface ApprovalRequestsListParams {
  /** Only records with this `status`. */
  status?: ApprovalRequestStatus | undefined;
  /** Only records with this `type`. */
  type?: ApprovalRequestType | undefined;
  /** Only records with this `workflow_run`. */
  workflow_run?: string | undefined;
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
   * Linked records to return instead of their ids: `data.workflow_run`, `data.customer`. Follow further
   * links with dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApprovalRequestsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `workflow_run`, `customer`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApprovalRequestsApproveParams {
  /** Why you decide so. The agent gets the reason of a rejection. */
  reason?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `workflow_run`, `customer`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApprovalRequestsRejectParams {
  /** Why you decide so. The agent gets the reason of a rejection. */
  reason?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `workflow_run`, `customer`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ApprovalRequestsCancelParams {
  /**
   * Linked records to return instead of their ids: `workflow_run`, `customer`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface UsersListParams {
  /** Only records with this `role`. */
  role?: UserRole | undefined;
  /** Only records with this `status`. */
  status?: UserStatus | undefined;
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
}

export interface UsersUpdateParams {
  /** The name. Null if there is none. */
  name?: string | null | undefined;
  /** The new role, at most your own. All sessions of the user end. */
  role?: UserRole | undefined;
  /** `disabled` ends all sessions of the user. */
  status?: UserStatus | undefined;
}

export interface InvitationsListParams {
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
   * Linked records to return instead of their ids: `data.invited_by`. Follow further links with dots, up
   * to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface InvitationsCreateParams {
  /** The e-mail address of the person. */
  email: string;
  /** The role that the person gets, at most your own. */
  role: UserRole;
  /**
   * Linked records to return instead of their ids: `invited_by`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface InvitationsRetrieveParams {
  /**
   * Linked records to return instead of their ids: `invited_by`. Follow further links with dots, up to
   * four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesAdvanceParams {
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesCompleteParams {
  /** The outcome. The default is the planned one. */
  outcome?: Outcome | undefined;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
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
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersReferencesNoteParams {
  /** The text of the note. */
  message: string;
  /**
   * Linked records to return instead of their ids: `application`, `customer`, `reference_pdf`,
   * `earlier_reports`. Follow further links with dots, up to four. Your key needs the permission to read
   * them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersPaymentsSucceedParams {
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersPaymentsFailParams {
  /** The code of the failure. The default is `declined`, or `bounced` after it succeeded. */
  code?: string | undefined;
  /**
   * Linked records to return instead of their ids: `tenancy`, `deposit`, `customer`,
   * `allocations.invoice`, `bank_line`. Follow further links with dots, up to four. Your key needs the
   * permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersApprovalRequestsApproveParams {
  /** Why you decide so. The agent gets the reason of a rejection. */
  reason?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `workflow_run`, `customer`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface TestHelpersApprovalRequestsRejectParams {
  /** Why you decide so. The agent gets the reason of a rejection. */
  reason?: string | null | undefined;
  /**
   * Linked records to return instead of their ids: `workflow_run`, `customer`. Follow further links with
   * dots, up to four. Your key needs the permission to read them.
   */
  expand?: Array<string> | undefined;
}

export interface ActivityRetrieveParams {
  /** The first interval has this time. The default is 24 intervals before `until`. */
  since?: number | undefined;
  /** The last interval is before this time, or has it. The default is now. */
  until?: number | undefined;
  /** The length of an interval. The default is `hour`. A response has at most 200 intervals. */
  interval?: ActivityInterval | undefined;
  /**
   * Counts only the attempts of this endpoint, even if it was deleted. With `Service-Context` of a
   * connected account, a deleted endpoint has no counts.
   */
  webhook_endpoint?: string | undefined;
}

export interface RulesetsRetrieveParams {
  /** The day. The default is today in the account’s time zone. */
  on?: string | undefined;
}

export interface TenanciesRetrieveStatementParams {
  /** The first day. The default is the day of the first entry. */
  from?: string | undefined;
  /** The last day. By default today, in the account’s time zone. */
  to?: string | undefined;
}

export interface TenanciesRetrieveStatementPdfParams {
  /** The first day. The default is the day of the first entry. */
  from?: string | undefined;
  /** The last day. By default today, in the account’s time zone. */
  to?: string | undefined;
}

export interface SearchParams {
  /** The words, with 2 to 500 characters. Every character is literal: there are no wildcards. */
  query: string;
  /**
   * The kinds to search, with commas between them: `reference`, `application`, `unit`, `tenancy`,
   * `deposit`, `invoice`, `payment`, `bank_line`, `customer`. The default is all that your key can read.
   */
  types?: string | undefined;
}

export interface RetentionHoldsContentsParams {
  /** The id of the file, from `files` of the hold. */
  file: string;
}

export interface WorkflowsTestParams {
  /** The id of an event of your account. */
  event: string;
}

export interface TestHelpersEmailsListParams {
  /** Only e-mails to this address. Case does not matter. */
  to?: string | undefined;
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
}

export interface AccountApiVersionPreviewParams {
  /** The version to compare with. The default is the latest. */
  to?: string | undefined;
}

export interface TestHelpersClockAdvanceParams {
  /** How far to move the clock forward: up to 366 days, and not beyond the year 2100. */
  seconds: number;
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

export interface TestHelpersClockResource {
  /**
   * Sandbox only. Returns the time of this deployment, and how far it is ahead of real time. It is 0
   * until the first advance.
   */
  retrieve(params?: Record<string, never>, options?: RequestOptions): TenurePromise<Clock>;
  /**
   * Sandbox only. Moves the clock of this deployment forward, for all accounts. So you can test
   * processes of several days, such as webhook retries, retention, and the start and end of tenancies.
   */
  advance(params: TestHelpersClockAdvanceParams, options?: RequestOptions): TenurePromise<Clock>;
}

export interface TestHelpersResource {
  references: TestHelpersReferencesResource;
  payments: TestHelpersPaymentsResource;
  approvalRequests: TestHelpersApprovalRequestsResource;
  emails: TestHelpersEmailsResource;
  clock: TestHelpersClockResource;
}

export interface ActivityResource {
  /**
   * Counts requests, events and delivery attempts in each minute, hour or day (UTC). The response also
   * has the latency of the latest requests and attempts. Only POST and DELETE requests count, because
   * only they have logs.
   */
  retrieve(params?: ActivityRetrieveParams, options?: RequestOptions): TenurePromise<Activity>;
}

export interface RulesetsResource {
  /**
   * Returns the checks of law that are in force on a day, with their sources. A check judges an act by
   * the day of the act. This is no legal advice.
   */
  retrieve(id: string, params?: RulesetsRetrieveParams, options?: RequestOptions): TenurePromise<Ruleset>;
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
