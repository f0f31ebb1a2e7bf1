/*
 * What a person does about a check that does not go on. Each sentence names things that the API and the dashboard can do, so that both show
 * the same words.
 */

const byHandOrOther = 'choose another service, or make the check by hand.';

const isRepeated = `The server asks the service again by itself. If that takes too long, ${byHandOrOther}`;

/** What to do, by the code of `last_error`. */
export const advices: Readonly<Record<string, string>> = {
  invite_bounced: 'Correct the e-mail address of the person. The service then sends the invitation there.',
  renter_expired: `Talk to the person. If you correct the e-mail address, the service sends the invitation again. Otherwise ${byHandOrOther}`,
  renter_declined: 'Talk to the person. Then choose another service, make the check by hand, or cancel it.',
  invalid_details: 'Complete the details of the person. Then retry the check.',
  unauthorized: `Set the credentials of the service again, and retry the check. Or ${byHandOrOther}`,
  credentials_missing: `Set the credentials of the service, and retry the check. Or ${byHandOrOther}`,
  credentials_invalid: `Set the credentials of the service again, and retry the check. Or ${byHandOrOther}`,
  provider_unavailable: `Ask the operator to set up the service. Or ${byHandOrOther}`,
  provider_unknown: `Ask the operator to install a release that knows the service. Or ${byHandOrOther}`,
  ended_by_provider: 'Choose another service, make the check by hand, or cancel it.',
  report_failed: isRepeated,
  response_invalid: isRepeated,
  timeout: isRepeated,
  unavailable: isRepeated,
};

/** What to do about any other code. A service has codes of its own. */
export const adviceForOtherCodes = `The server asks the service again by itself. If the reason stays, ${byHandOrOther}`;

/** What to do about an invitation at a service that sends no second one. */
export const adviceWithoutInvitations =
  'This service sends no invitation to another address. Choose another service, or make the check by hand.';

/** What to do after the last failure. */
export const adviceAfterGivingUp =
  'The server has asked ten times, and asks no more. Retry the check, choose another service, or make the check by hand.';

const invitationCodes = new Set(['invite_bounced', 'renter_expired']);

/** Returns what to do about the code of an obstacle. */
export function adviceFor(
  code: string,
  { isGivenUp = false, repeatsInvitations = true }: { isGivenUp?: boolean; repeatsInvitations?: boolean } = {},
): string {
  const known = Object.hasOwn(advices, code) ? advices[code] : undefined;
  if (isGivenUp && (known === undefined || known === isRepeated)) return adviceAfterGivingUp;
  if (!repeatsInvitations && invitationCodes.has(code)) return adviceWithoutInvitations;
  return known ?? adviceForOtherCodes;
}

/** Characters of `last_error`. */
const errorMax = 500;

/** Returns `last_error` for an obstacle: its code, what happened, and what to do. A long message is shortened, and the advice is not. */
export function errorText({ code, message }: { code: string; message: string }, advice: string): string {
  const room = errorMax - code.length - advice.length - 3;
  const told = message.length > room ? `${message.slice(0, room - 1)}…` : message;
  return `${code}: ${told} ${advice}`.toWellFormed();
}
