import type { StoredRecord } from '../../../model/record.ts';
import type { Change } from '../../../model/resource.ts';
import type { RollUpFacts } from '../../../model/traits/sums-up.ts';
import type { ApplicationRecord } from './fields.ts';

/** Converts the application when its tenancy is signed, and reopens it when that tenancy is canceled. */
export function adaptToTenancy(
  current: ApplicationRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
  { nowSeconds }: Pick<RollUpFacts, 'nowSeconds'>,
): Change<ApplicationRecord> {
  const [was, is] = [before, after].map((tenancy) => (tenancy as (StoredRecord & { status: string }) | null)?.status);
  if (is === 'signed' && was === 'draft')
    return {
      after: { ...current, status: 'converted', tenancy: after!.id, converted_at: nowSeconds },
      verbs: ['converted'],
    };
  if (is === 'canceled' && was === 'signed' && current.tenancy === after!.id)
    return { after: { ...current, status: 'approved', tenancy: null, converted_at: null }, verbs: ['reopened'] };
  return { after: current };
}
