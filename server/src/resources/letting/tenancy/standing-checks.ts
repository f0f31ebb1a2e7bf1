import { judge, reviseWarning, rightToRent } from '../../../law/index.ts';
import type { Rules } from '../../../core/vocabulary/law-rules.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { withWarnings } from '../warnings.ts';
import type { TenancyRecord } from './fields.ts';

type Recorded = StoredRecord & { right_to_rent: object | null };

/** Returns the tenants without a recorded check of their right to rent. A person that another system keeps counts as unrecorded. */
export function unrecordedTenants({ customers }: TenancyRecord, related: Related): string[] {
  const recorded = related.all<Recorded>('customers').filter((person) => person.right_to_rent !== null);
  return customers.filter((id) => !recorded.some((person) => person.id === id));
}

/** Returns whether the tenancy holds its unit, now or in the future. */
export function isLive({ status }: Pick<TenancyRecord, 'status'>): boolean {
  return status === 'signed' || status === 'active' || status === 'notice';
}

/** Judges the duties after signing again, and keeps the failed ones in the record. */
export function withStandingChecks(
  before: TenancyRecord,
  { after, verbs = [] }: Change<TenancyRecord>,
  caller: { account: { rules: Rules }; today: string; nowSeconds: number },
  related: Related,
): Change<TenancyRecord> {
  const { jurisdiction, type, signed_on: signedOn, statement_given_on: statementGivenOn } = after;
  if (signedOn === null || !isLive(after)) return { after, verbs };
  const unrecorded = unrecordedTenants(after, related);
  const judgement = judge(caller.account.rules, 'signed', signedOn, {
    jurisdiction,
    type,
    signedOn,
    statementGivenOn,
    unrecordedTenants: unrecorded,
  });
  const judged = { ...after, unrecorded_tenants: unrecorded };
  return withWarnings(before, { after: judged, verbs }, [judgement], caller.nowSeconds);
}

/** Updates the warning about the right to rent after a write to one of the tenants. */
export function adaptToTenant(
  current: TenancyRecord,
  _: StoredRecord | null,
  after: StoredRecord | null,
): Change<TenancyRecord> {
  const tenant = after as Recorded | null;
  if (!tenant || !isLive(current)) return { after: current };
  const known = current.unrecorded_tenants;
  const isRecorded = tenant.right_to_rent !== null;
  if (isRecorded !== known.includes(tenant.id)) return { after: current };
  const unrecorded = isRecorded ? known.filter((id) => id !== tenant.id) : [...known, tenant.id];
  const { signed_on: signedOn, statement_given_on: statementGivenOn } = current;
  const failure = rightToRent.judge(
    { unrecordedTenants: unrecorded, signedOn: signedOn!, statementGivenOn },
    signedOn!,
  );
  const checks = reviseWarning(current.checks, rightToRent.id, failure);
  return { after: { ...current, unrecorded_tenants: unrecorded, checks } };
}

/** Finds the tenancies that a tenant lives in, or is going to. */
export async function findByTenant(tenant: StoredRecord): Promise<readonly string[]> {
  return (tenant as StoredRecord & { live_tenancies: string[] }).live_tenancies;
}
