/** Returns what a new password needs. The server decides. */
export function passwordHint({ hasSecondFactor }: { hasSecondFactor: boolean }): string {
  return `At least ${hasSecondFactor ? 8 : 15} characters. A few words are easy to remember.`;
}
