/** Why a step fails. The run shows the code and the message, which have no personal data. */
export class StepFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
