import type { Deposit } from 'tenure';
import { tenantsOf } from '../../office/letting-words.ts';
import { capital, listed, nameOf, plain } from '../../office/words.ts';

/** Returns the people of a deposit: the applicants or the tenants. */
export function peopleOf({ tenancy, application }: Pick<Deposit, 'tenancy' | 'application'>): string {
  if (tenancy !== null && typeof tenancy === 'object') return tenantsOf(tenancy);
  if (application !== null && typeof application === 'object') return listed(application.customers.map(nameOf));
  return 'People kept in another system';
}

/** Returns what kind of deposit it is. */
export function kindText({ type }: Pick<Deposit, 'type'>): string {
  return type === 'holding' ? 'Holding deposit' : 'Tenancy deposit';
}

const schemes: Readonly<Record<string, string>> = {
  dps_custodial: 'DPS, custodial',
  dps_insured: 'DPS, insured',
  mydeposits_custodial: 'mydeposits, custodial',
  mydeposits_insured: 'mydeposits, insured',
  tds_custodial: 'TDS, custodial',
  tds_insured: 'TDS, insured',
  other: 'Another scheme',
};

/** Returns the name of a scheme that protects deposits. */
export function schemeText(scheme: string): string {
  return schemes[scheme] ?? capital(plain(scheme));
}

const retentionReasons: Readonly<Record<string, string>> = {
  right_to_rent: 'The applicants may not rent.',
  false_information: 'The applicants gave false information.',
  tenant_withdrew: 'The applicants withdrew.',
  tenant_took_no_steps: 'The applicants took no steps towards the tenancy.',
};

/** Returns why a holding deposit is kept. */
export function retentionText(reason: string): string {
  return retentionReasons[reason] ?? capital(plain(reason));
}
