/** A customer whose body has nearly 256 kB, the largest that is taken. Each character has three bytes. */
export function largeCustomer(): object {
  const text = '€'.repeat(500);
  const address = { line1: text, line2: text, city: text, postal_code: text, country: 'GB' };
  return { name: 'Ada', addresses: Array.from({ length: 42 }, () => address) };
}
