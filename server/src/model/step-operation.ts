/** An operation that a workflow may send, as the newest version has it. */
export interface StepOperation {
  /** Its path, with `:id` for ids. */
  path: string;
  permissions: readonly string[];
  /** The members of its body, and those that a body must have. */
  members: readonly string[];
  required: readonly string[];
  /** Whether a person that sends it itself has to confirm its identity. */
  asksForConfirmation: boolean;
}
