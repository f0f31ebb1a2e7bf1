/** The exit codes of every command. */
export const exitCodes = { done: 0, refused: 1, usage: 2, noAccess: 4, unreachable: 6, interrupted: 130 } as const;

/** A command cannot do what was asked. `message` says what failed, why, and what to do. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.usage) {
    super(message);
    this.exitCode = exitCode;
  }
}
