import type { RejectionReason } from 'tenure';
import { plain } from './words.ts';

/** The reasons of a refusal, in the sentences of the API docs. */
export const reasons = {
  affordability: 'The rent is more than the income can carry.',
  credit_history: 'The credit history has defaults, judgments or arrears.',
  landlord_reference: 'An earlier landlord does not recommend the tenancy.',
  employment_reference: 'The employer does not confirm the employment or the income.',
  identity_unverified: 'The identity could not be verified.',
  right_to_rent: 'The right to rent was not shown.',
  information_false: 'Information in the application is false.',
  reference_incomplete: 'Information that the reference needs is missing.',
  sanctions: 'A person is on a list of sanctions.',
  other_applicant: 'The home is let to other applicants.',
  unit_withdrawn: 'The home is no longer to let.',
  other: 'Another reason, which the agent tells on request.',
} as const satisfies Record<RejectionReason, string>;

/** Returns a reason in a sentence. A newer server may have more of them, which are told by their codes. */
export function reasonText(reason: string): string {
  return (reasons as Readonly<Record<string, string>>)[reason] ?? plain(reason);
}
