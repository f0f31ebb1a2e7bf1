import { isId } from '../core/ids.ts';
import { credentialNames, type Provider } from '../core/providers.ts';
import type { Vault } from '../core/encryption.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { Address, Order, ProviderClient } from './providers/provider.ts';
import { ProviderFault } from './providers/provider.ts';
import { account, type AccountRecord } from '../resources/account.ts';
import { application, type ApplicationRecord } from '../resources/application.ts';
import { customer, type CustomerRecord } from '../resources/customer.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';

/** Where the services are, as this deployment reaches them. */
export interface Desk {
  client: ProviderClient;
  /** Whether it is one of the sandbox's own: then it has its own scale of time, and every account may ask it. */
  isSimulated: boolean;
}

export type Desks = ReadonlyMap<Provider, Desk>;

/**
 * What the account asks the service with. Every account of a sandbox can ask the services that come with it.
 *
 * @returns null if it has none.
 */
export function credentialsOf(
  vault: Vault,
  owner: AccountRecord,
  provider: Provider,
  isSimulated: boolean,
): Record<string, string> | null {
  const sealed = owner.provider_credentials?.[provider];
  if (sealed !== undefined) return JSON.parse(vault.open(Buffer.from(sealed, 'base64'))) as Record<string, string>;
  if (!isSimulated) return null;
  const made = credentialNames[provider].map((name) => [name, vault.derive(`${provider} ${name} ${owner.id}`)]);
  return Object.fromEntries(made) as Record<string, string>;
}

/** @throws {ProviderFault} `credentials_missing`, which tells what to do. */
export function requiredCredentials(
  vault: Vault,
  owner: AccountRecord,
  provider: Provider,
  isSimulated: boolean,
): Record<string, string> {
  const credentials = credentialsOf(vault, owner, provider, isSimulated);
  if (credentials) return credentials;
  throw new ProviderFault(
    'credentials_missing',
    `This account has nothing to ask ${provider} with. Set \`provider_credentials[${provider}]\` with POST /v1/account; it is asked again by itself.`,
  );
}

export async function readAccount(readRecord: RecordReader, accountId: string): Promise<AccountRecord> {
  const owner = await readRecord(account, accountId, accountId);
  if (!owner) throw new Error(`Bug! The account ${accountId} is not there.`);
  return owner as AccountRecord;
}

/** The person, if the account keeps them here. */
export async function readApplicant(
  readRecord: RecordReader,
  { account_id: accountId, customer: id }: ReferenceRecord,
): Promise<CustomerRecord | null> {
  if (id === null || !isId('cus', id)) return null;
  return (await readRecord(customer, accountId, id)) as CustomerRecord | null;
}

/** What the service is told of a reference, its person and what they apply for. */
export async function orderOf(
  readRecord: RecordReader,
  reference: ReferenceRecord,
  { callbackUrl, isSimulated }: { callbackUrl: string; isSimulated: boolean },
): Promise<Order> {
  const person = await readApplicant(readRecord, reference);
  const wish = await readWish(readRecord, reference);
  return {
    referenceId: reference.id,
    applicant: person && {
      name: person.name,
      email: person.email,
      phone: person.phone,
      dateOfBirth: person.date_of_birth,
      addresses: person.addresses.filter(({ to }) => to === null).map(addressOf),
    },
    rent: shareOf(wish),
    hasGuarantor: hasGuarantor(wish),
    callbackUrl,
    // A service of flesh and blood learns nothing of what an account notes for itself.
    scenario: isSimulated ? (reference.metadata?.simulate ?? null) : null,
  };
}

export function addressOf({ line1, line2, city, postal_code, country }: CustomerRecord['addresses'][number]): Address {
  return { line1, line2, city, postalCode: postal_code, country };
}

/** What the reference is applied for, if the account keeps it here. */
export async function readWish(
  readRecord: RecordReader,
  reference: ReferenceRecord,
): Promise<ApplicationRecord | null> {
  const { account_id: accountId, application: id } = reference;
  if (id === null || !isId('app', id)) return null;
  return (await readRecord(application, accountId, id)) as ApplicationRecord | null;
}

/** Returns what one person pays. Those who apply together pay the same, because an application has no other shares. */
export function shareOf(wish: ApplicationRecord | null): Order['rent'] {
  if (!wish?.rent) return null;
  return { ...wish.rent, amount: Math.round(wish.rent.amount / Math.max(1, wish.customers.length)) };
}

/** Whether the application names somebody who answers for the rent. */
export function hasGuarantor(wish: ApplicationRecord | null): boolean {
  return wish?.metadata?.guarantor !== undefined;
}
