import type { Invoice, Unit } from 'tenure';

/** Returns the home of a bill, if its tenancy was expanded. */
export function unitOfBill({ tenancy }: Pick<Invoice, 'tenancy'>): string | null | Unit {
  return typeof tenancy === 'string' ? null : tenancy.unit;
}
