/** The course of a charge at the simulated gateway, as `metadata.simulate` names it. */
export interface ChargeScript {
  /** Whether the gateway takes the money. */
  isTaken: boolean;
  /** The code with which it fails, or with which it bounces after it was taken. Null if it does neither. */
  failsWith: string | null;
}

/** The course of a charge whose payment names none. */
export const usualChargeScript = 'succeed';

/** Returns the course, or null for an unknown word. */
export function readChargeScript(text: string): ChargeScript | null {
  const [word, code, ...rest] = text.split(':');
  if (rest.length > 0) return null;
  if (word === 'fail') {
    if (code === undefined) return { isTaken: false, failsWith: 'declined' };
    return isFailureCode(code) ? { isTaken: false, failsWith: code } : null;
  }
  if (code !== undefined) return null;
  if (word === usualChargeScript) return { isTaken: true, failsWith: null };
  return word === 'succeed_then_bounce' ? { isTaken: true, failsWith: 'bounced' } : null;
}

/** Says why the simulated gateway cannot play the script, and lists the words. Returns null if the script is valid. */
export function chargeScriptFault(text: string): string | null {
  if (readChargeScript(text)) return null;
  return `The simulated gateway does not know \`${text.slice(0, 100)}\`. Send succeed, fail, fail:<code> or succeed_then_bounce. A code is up to 40 lower-case letters, digits and underscores, the first a letter.`;
}

/** The form of a failure's code, such as `insufficient_funds`. */
export const failureCodePattern = '^[a-z][a-z0-9_]{0,39}$';

function isFailureCode(text: string): boolean {
  return new RegExp(failureCodePattern).test(text);
}
