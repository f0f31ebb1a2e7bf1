/*
 * What all external services have in common: referencing providers and payment gateways. An adapter gets a
 * client and credentials. It throws a fault if the service does not do what it was asked.
 */

/** The address of the service, and the account's credentials for it. */
export interface ProviderAccess {
  client: ProviderClient;
  /** The account's credentials, by their names. */
  credentials: Readonly<Record<string, string>>;
}

/** Calls one service. */
export interface ProviderClient {
  /**
   * Sends a request and reads the response as JSON. It makes no retries.
   *
   * @param path begins with a slash.
   * @returns the response's status, one of `expected`, and its body, or null if that is empty.
   * @throws {ProviderFault} for any other status, for a response that is no JSON, and after a timeout.
   */
  call(request: ProviderRequest): Promise<{ status: number; body: unknown }>;
}

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: object;
  /** The statuses that are no fault; 200 to 299 without a list. */
  expected?: readonly number[];
  /** Finds the service's own code and message in a rejection (4xx). Without it they are not shown. */
  refusalIn?(body: unknown): { code: unknown; message: unknown };
}

/** A request to `POST /provider_callbacks/{provider}/{account}`. */
export interface Callback {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
  credentials: Readonly<Record<string, string>>;
  nowSeconds: number;
}

/** A service did not do what it was asked. The message says what failed, for a reader of the record. */
export class ProviderFault extends Error {
  /** Stable, in lower case with underscores: `timeout`, `unavailable`, `invalid_details`. */
  readonly code: string;
  /** Seconds until a busy service can be called again, which is no failure. Null for any other fault. */
  readonly busyForSeconds: number | null;

  constructor(code: string, message: string, options: { busyForSeconds?: number; cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
    this.busyForSeconds = options.busyForSeconds ?? null;
  }
}
