import { catalogue } from './catalogue.ts';
import { CliError } from './errors.ts';
import { adviceOn } from './nearest.ts';

const ping = 'webhook_endpoint.pinged';

/** The events that a command wants, as `enabled_events` of an endpoint: `*`, `reference.*`, `reference.completed`. */
export class EventPatterns {
  readonly patterns: readonly string[];
  /** The endpoint whose pings are wanted, even if it has not subscribed to them. */
  readonly #endpointId: string | null;

  constructor(patterns: readonly string[], endpointId: string | null = null) {
    this.patterns = patterns;
    this.#endpointId = endpointId;
  }

  /** @throws {CliError} if there is no such event. */
  static parse(text: string | undefined): EventPatterns {
    const patterns = (text ?? '*').split(',').map((pattern) => pattern.trim());
    const { eventTypes } = catalogue();
    const families = [...new Set(eventTypes.map((type) => type.replace(/\..*/, '.*')))];
    const known = ['*', ...families, ...eventTypes];
    for (const pattern of patterns) {
      if (!known.includes(pattern)) throw new CliError(`There is no event "${pattern}".${adviceOn(pattern, known)}`);
    }
    return new EventPatterns(patterns);
  }

  /** The filter of the stream, or undefined if several patterns need a filter here. */
  get streamFilter(): string | undefined {
    const [only, ...others] = this.patterns;
    return others.length > 0 || this.#endpointId !== null || only === '*' ? undefined : only;
  }

  /** Tells whether an event is wanted. A ping goes to its own endpoint, or to a command that names its type. */
  has({ type, data }: { type: string; data: { object: { id?: unknown } } }): boolean {
    if (type === ping)
      return this.#endpointId === null ? this.patterns.includes(type) : data.object.id === this.#endpointId;
    return this.patterns.some(
      (pattern) =>
        pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
    );
  }
}
