import type { Kit } from './kit.ts';

/** A rule of the protocol, which `docs/providers/protocol.md` explains. */
export interface Rule {
  name: string;
  /** What a service does that keeps the rule, as a sentence. */
  says: string;
  /** What to change in a service that breaks it. */
  advice: string;
  /**
   * Judges the service by orders of its own.
   *
   * @returns how the service breaks the rule; null if it keeps it.
   * @throws {Unjudged} if it breaks another rule that this one needs.
   * @throws {ProviderFault} if Tenure could not use an answer; that breaks the rule, too.
   */
  judge(kit: Kit): Promise<string | null>;
}

/** A rule cannot be judged, because the service breaks another one. */
export class Unjudged extends Error {}
