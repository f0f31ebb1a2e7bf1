import { isValidIBAN } from 'ibantools';

/** Removes the spaces and hyphens by which people group the characters of a number, and makes its letters capital. */
export function ungrouped(text: string): string {
  return text.replace(/[ -]/g, '').toUpperCase();
}

/** Characters of a number with its groups. */
const groupedMax = 50;

/** Returns the number without its groups, or an empty text if it is far too long. */
function numberIn(text: string): string {
  return text.length > groupedMax ? '' : ungrouped(text);
}

/** Checks a sort code of a British bank: six digits, in pairs or not. */
export function sortCodeFault(text: string): string | null {
  return /^\d{6}$/.test(numberIn(text)) ? null : 'must be a sort code of six digits, such as 20-00-00';
}

/** Checks the number of an account: digits and letters, grouped or not. */
export function accountNumberFault(text: string): string | null {
  return /^[A-Z0-9]{1,34}$/.test(numberIn(text))
    ? null
    : 'must be the number of an account, such as 55779911: up to 34 digits and letters';
}

/** Checks an IBAN (ISO 13616): its form, the length of its country, and its check digits. */
export function ibanFault(text: string): string | null {
  const iban = numberIn(text);
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban))
    return 'must be an IBAN, such as GB33 BUKB 2020 1555 5555 55: a country, two digits, and 11 to 30 letters and digits';
  return isValidIBAN(iban)
    ? null
    : 'does not have the length of its country, or has wrong check digits, so a character is missing or wrong. Copy the IBAN from a statement of the bank';
}

/** Checks the code of a bank (BIC, ISO 9362). */
export function bicFault(text: string): string | null {
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(numberIn(text))
    ? null
    : 'must be a BIC of 8 or 11 letters and digits, such as BUKBGB22';
}
