import type { StoredRecord } from '../../../model/record.ts';
import type { Change } from '../../../model/resource.ts';
import type { ApplicationRecord } from './fields.ts';

type SignedTenancy = StoredRecord & { status: string; signed_at: number | null };

/** Converts the application when its tenancy is signed, and reopens it when that tenancy is canceled. */
export function adaptToTenancy(
  current: ApplicationRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
): Change<ApplicationRecord> {
  const [was, tenancy] = [before, after] as (SignedTenancy | null)[];
  if (tenancy?.status === 'signed' && was?.status === 'draft')
    return {
      after: { ...current, status: 'converted', tenancy: tenancy.id, converted_at: tenancy.signed_at },
      verbs: ['converted'],
    };
  if (tenancy?.status === 'canceled' && was?.status === 'signed' && current.tenancy === tenancy.id)
    return { after: { ...current, status: 'approved', tenancy: null, converted_at: null }, verbs: ['reopened'] };
  return { after: current };
}
