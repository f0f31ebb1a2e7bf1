const names: ReadonlyMap<string, string> = new Map([
  ['bank_transfer', 'Bank transfer'],
  ['standing_order', 'Standing order'],
  ['direct_debit', 'Direct debit'],
  ['card', 'Card'],
  ['cash', 'Cash'],
  ['cheque', 'Cheque'],
  ['deposit', 'From the deposit'],
  ['holding_deposit', 'From the holding deposit'],
  ['other', 'Other'],
]);

/** Returns the name of a payment's method for a reader. */
export function methodName(method: string): string {
  return names.get(method) ?? method;
}
