import { withoutContacts } from '../../external-services/without-contacts.ts';
import { ProviderFault } from '../../external-services/service.ts';
import type { Note } from './provider.ts';

/**
 * Makes a note of a service.
 *
 * @param time RFC 3339.
 * @throws {ProviderFault} `response_invalid` if it is no time.
 */
export function noteOf(time: string, message: string, names: readonly string[] = []): Note {
  const created = Math.floor(Date.parse(time) / 1000);
  if (!Number.isSafeInteger(created)) throw new ProviderFault('response_invalid', 'A note of the service has no time.');
  return { created, message: withoutContacts(message, names) };
}
