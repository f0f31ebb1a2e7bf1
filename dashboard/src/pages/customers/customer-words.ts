import type { Customer } from 'tenure';
import { addressLine, dayText } from '../../office/words.ts';

/** Returns the address where a person lives now, or null if it is not known. */
export function currentAddress({ addresses }: Customer): string | null {
  const current = addresses.find(({ to }) => to === null);
  return current ? addressLine(current) : null;
}

/** Returns the right to rent in a sentence. */
export function rightToRentText({ right_to_rent: right }: Customer): string {
  if (right === null) return 'Not checked';
  const checked = `checked on ${dayText(right.checked_on)}`;
  if (right.expires_on !== null) return `Until ${dayText(right.expires_on)}, ${checked}`;
  return right.status === 'unlimited' ? `Without a limit, ${checked}` : `For a limited time, ${checked}`;
}
