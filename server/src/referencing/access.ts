import { isId } from '../core/ids.ts';
import { credentialNames, type Provider } from '../core/providers.ts';
import type { Encryption } from '../core/encryption.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { ProviderFault, type ProviderClient } from '../outside-services/service.ts';
import type { Address, Order } from './providers/provider.ts';
import { account, type AccountRecord } from '../resources/account.ts';
import { application, type ApplicationRecord } from '../resources/letting/application/index.ts';
import { guarantorBy, isStanding } from '../resources/letting/application/guarantors.ts';
import { customer, type CustomerRecord } from '../resources/customer.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';

/** How this deployment reaches a service. */
export interface ProviderConnection {
  client: ProviderClient;
  /** Whether it belongs to the sandbox. Then its time has another scale, and every account may use it. */
  isSimulated: boolean;
}

export type ProviderConnections = ReadonlyMap<Provider, ProviderConnection>;

/**
 * Returns the credentials with which the account uses the service. In a sandbox, every account can use the simulated services.
 *
 * @returns null if it has none.
 */
export function credentialsOf(
  encryption: Encryption,
  owner: AccountRecord,
  provider: Provider,
  isSimulated: boolean,
): Record<string, string> | null {
  const encrypted = owner.provider_credentials?.[provider];
  if (encrypted !== undefined)
    return JSON.parse(encryption.decrypt(Buffer.from(encrypted, 'base64'))) as Record<string, string>;
  if (!isSimulated) return null;
  return Object.fromEntries(
    credentialNames[provider].map((name) => [name, encryption.derive(`${provider} ${name} ${owner.id}`)]),
  );
}

/** @throws {ProviderFault} `credentials_missing`, with a message that says what to do. */
export function requiredCredentials(
  encryption: Encryption,
  owner: AccountRecord,
  provider: Provider,
  isSimulated: boolean,
): Record<string, string> {
  const credentials = credentialsOf(encryption, owner, provider, isSimulated);
  if (credentials) return credentials;
  throw new ProviderFault(
    'credentials_missing',
    `The account has no credentials for ${provider} in \`provider_credentials[${provider}]\`.`,
  );
}

export async function readAccount(readRecord: RecordReader, accountId: string): Promise<AccountRecord> {
  const owner = await readRecord(account, accountId, accountId);
  if (!owner) throw new Error(`Bug! The account ${accountId} is not there.`);
  return owner;
}

/** Returns the person, if the account keeps them here. */
export async function readApplicant(
  readRecord: RecordReader,
  { account_id: accountId, customer: id }: ReferenceRecord,
): Promise<CustomerRecord | null> {
  if (id === null || !isId('cus', id)) return null;
  return readRecord(customer, accountId, id);
}

/** Returns what the service learns about a reference, its person and the application. */
export async function orderOf(
  readRecord: RecordReader,
  reference: ReferenceRecord,
  { key, callbackUrl, isSimulated }: { key: string; callbackUrl: string; isSimulated: boolean },
): Promise<Order> {
  const person = await readApplicant(readRecord, reference);
  const wish = await readWish(readRecord, reference);
  return {
    referenceId: key,
    applicant: person && {
      name: person.name,
      email: person.email,
      phone: person.phone,
      dateOfBirth: person.date_of_birth,
      addresses: person.addresses.filter(({ to }) => to === null).map(addressOf),
    },
    rent: shareOf(wish, reference.customer),
    hasGuarantor: hasGuarantor(wish, reference.customer),
    callbackUrl,
    // A real service must not see the account's own notes.
    scenario: isSimulated ? (reference.metadata?.simulate ?? null) : null,
  };
}

export function addressOf({ line1, line2, city, postal_code, country }: CustomerRecord['addresses'][number]): Address {
  return { line1, line2, city, postalCode: postal_code, country };
}

/** Returns the reference's application, if the account keeps it here. */
export async function readWish(
  readRecord: RecordReader,
  reference: ReferenceRecord,
): Promise<ApplicationRecord | null> {
  const { account_id: accountId, application: id } = reference;
  if (id === null || !isId('app', id)) return null;
  return readRecord(application, accountId, id);
}

/**
 * Returns what one person pays. Co-applicants pay the same, because an application has no other shares. A guarantor pays the shares of the
 * applicants that it stands for.
 */
export function shareOf(wish: ApplicationRecord | null, personId: string | null): Order['rent'] {
  if (!wish?.rent) return null;
  const applicants = Math.max(1, wish.customers.length);
  const guarantor = personId === null ? null : guarantorBy(wish, personId);
  const shares = guarantor ? (guarantor.guarantees?.length ?? applicants) : 1;
  return { ...wish.rent, amount: Math.round((wish.rent.amount * shares) / applicants) };
}

/** Returns whether a guarantor stands by this applicant, or was asked to. */
export function hasGuarantor(wish: ApplicationRecord | null, personId: string | null): boolean {
  if (!wish || (personId !== null && guarantorBy(wish, personId))) return false;
  return wish.guarantors_known.some(
    (guarantor) =>
      isStanding(guarantor) &&
      (guarantor.guarantees === null || personId === null || guarantor.guarantees.includes(personId)),
  );
}
