import { named, oneOf } from '../schemas/make.ts';

/** Which requests of an agent’s key wait for a person, from few to many. */
export const approvalPolicies = ['none', 'sensitive', 'all_writes'] as const;

export type ApprovalPolicy = (typeof approvalPolicies)[number];

export const ApprovalPolicyName = named(
  'ApprovalPolicy',
  'Which requests of an agent’s key wait for the approval of a person.',
  oneOf(...approvalPolicies),
);

/**
 * Tells which requests of an operation are sensitive. `true` means each of them. A list means those whose body has one of its members, not as
 * null. With `never`, not even a key with `all_writes` waits for a person.
 */
export type Sensitivity = true | readonly string[] | 'never';

/** Returns whether a request waits for the approval of a person if an agent’s key with this policy sends it. */
export function needsApproval(
  policy: ApprovalPolicy,
  sensitivity: Sensitivity | undefined,
  body: Readonly<Record<string, unknown>>,
): boolean {
  if (policy === 'none' || sensitivity === 'never') return false;
  if (policy === 'all_writes' || sensitivity === true) return true;
  return (sensitivity ?? []).some((member) => Object.hasOwn(body, member) && body[member] !== null);
}
