import type { StoredRecord } from '../../../model/record.ts';
import type { Change } from '../../../model/resource.ts';
import type { ApplicationRecord } from './fields.ts';

/** Lists a new holding deposit of the application. No deposit is ever deleted. */
export function adaptToDeposit(
  current: ApplicationRecord,
  _: StoredRecord | null,
  after: StoredRecord | null,
): Change<ApplicationRecord> {
  if (!after || current.holding_deposits.includes(after.id)) return { after: current };
  return { after: { ...current, holding_deposits: [...current.holding_deposits, after.id] } };
}
