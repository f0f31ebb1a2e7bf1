import type { Payment, Unit } from 'tenure';
import { tenantsOf } from '../../office/letting-words.ts';
import { nameOf } from '../../office/words.ts';

/** Returns the person that paid, or the tenants if that is not known. */
export function payerOf({ customer, tenancy }: Pick<Payment, 'customer' | 'tenancy'>): string {
  if (customer !== null) return nameOf(customer);
  return tenancy !== null && typeof tenancy === 'object' ? tenantsOf(tenancy) : 'Not known';
}

/** Returns the home that a payment is for, if its tenancy or its deposit was expanded. */
export function unitOfPayment({ tenancy, deposit }: Pick<Payment, 'tenancy' | 'deposit'>): string | null | Unit {
  if (tenancy !== null && typeof tenancy === 'object') return tenancy.unit;
  return deposit !== null && typeof deposit === 'object' ? deposit.unit : null;
}
