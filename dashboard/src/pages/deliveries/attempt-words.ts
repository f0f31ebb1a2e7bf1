import type { DeliveryAttempt } from 'tenure';

/** The errors of attempts without a response, in plain words. */
const errorWords: Record<string, string> = {
  address_forbidden: 'The host has an address that is not allowed.',
  connection_closed: 'The receiver closed the connection before its answer was complete.',
  connection_refused: 'The receiver refused the connection. Nothing listens there.',
  host_unresolved: 'The name of the host was not found.',
  interrupted: 'Tenure stopped during the attempt. It does not count.',
  response_invalid: 'The answer was not valid HTTP, or it was too long.',
  timeout: 'The receiver did not answer within 15 seconds.',
  tls_failed: 'The connection could not be secured. Check the certificate of the receiver.',
  unreachable: 'The host could not be reached.',
  failed: 'Something failed on the side of Tenure.',
};

/** Returns why another server gave no response, in plain words. Null for a code that is about something else. */
export function wordsOfError(code: string): string | null {
  return errorWords[code] ?? null;
}

/** The names of the statuses that receivers often answer with (RFC 9110). */
const statusNames: Record<number, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

export function isDelivered({ status }: DeliveryAttempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Returns the result of an attempt in a few characters: its status, or its error. */
export function resultOf({ status, error }: DeliveryAttempt): string {
  return status === null ? (error ?? 'failed').replaceAll('_', ' ') : String(status);
}

/** Returns what happened at an attempt, as a sentence. */
export function attemptWords(attempt: DeliveryAttempt): string {
  const { status, error } = attempt;
  if (status === null) return errorWords[error ?? 'failed'] ?? `The attempt failed: ${resultOf(attempt)}.`;
  if (status >= 300 && status < 400) return 'The receiver redirected. Tenure does not follow redirects.';
  return `The receiver answered ${[status, statusNames[status]].filter(Boolean).join(' ')}.`;
}

/**
 * Returns when the failures since the last delivered attempt began. Returns null if there are none.
 *
 * @param attempts in any order. Interrupted ones do not count.
 * @param areAll whether there are no earlier attempts. Otherwise, the time is exact only if one of these was delivered.
 */
export function failingSince(
  attempts: readonly DeliveryAttempt[],
  areAll: boolean,
): { at: number; isExact: boolean } | null {
  const counting = attempts
    .filter(({ error }) => error !== 'interrupted')
    .sort((one, other) => other.created - one.created || Number(isDelivered(one)) - Number(isDelivered(other)));
  const lastDelivered = counting.findIndex(isDelivered);
  const failed = lastDelivered === -1 ? counting : counting.slice(0, lastDelivered);
  const first = failed.at(-1);
  return first === undefined ? null : { at: first.created, isExact: areAll || lastDelivered !== -1 };
}
