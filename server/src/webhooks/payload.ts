import type { JsonObject } from '../core/json-diff.ts';
import { parseJson } from '../core/json.ts';
import type { ApiVersions } from '../versions/apply.ts';
import type { StoredEvent } from './claim.ts';

/** What is kept for the next endpoints: some thousand events, of which all deliveries are due at the same moment. */
const keptBytesMax = 2 * 1024 * 1024;

/**
 * The bytes that are sent for an event: exactly `id`, `object`, `created`, `type`, `data` and `request`, and `account` where the
 * endpoint is for connected accounts, as the endpoint's version shows them. They are the same at every attempt, and made once for
 * all endpoints of a version.
 */
export class Renderings {
  readonly #versions: ApiVersions;
  readonly #kept = new Map<string, { bytes: Buffer; data: string }>();
  #keptBytes = 0;

  constructor(versions: ApiVersions) {
    this.#versions = versions;
  }

  /**
   * @param accountId whose event it is, if the endpoint is told.
   * @throws {UnknownVersionError} if a newer release made the event, or set the endpoint's version.
   */
  of(event: StoredEvent, version: string, accountId: string | null): Buffer {
    const key = `${event.id} ${version} ${accountId ?? ''}`;
    const known = this.#kept.get(key);
    // An event never changes, but what it tells of a person who is erased is taken out of it.
    if (known?.data === event.data) return known.bytes;
    const bytes = this.renderAnew(event, version, accountId);
    this.#keep(key, { bytes, data: event.data });
    return bytes;
  }

  /** As `of`, and keeps nothing. */
  renderAnew(event: StoredEvent, version: string, accountId: string | null): Buffer {
    return Buffer.from(this.#render(event, version, accountId));
  }

  #render(
    { id, created, type, data, request, shapeVersion }: StoredEvent,
    version: string,
    account: string | null,
  ): string {
    if (version === shapeVersion) {
      // As it is kept, so that nothing of it need be read.
      const tail = account === null ? '' : `,"account":"${account}"`;
      return `{"id":"${id}","object":"event","created":${created},"type":"${type}","data":${data},"request":${request}${tail}}`;
    }
    const event: JsonObject = {
      id,
      object: 'event',
      created,
      type,
      data: parseJson(data),
      request: parseJson(request),
    };
    if (account !== null) event.account = account;
    return JSON.stringify(this.#versions.convert(event, shapeVersion, version));
  }

  #keep(key: string, rendering: { bytes: Buffer; data: string }): void {
    this.#drop(key);
    this.#kept.set(key, rendering);
    this.#keptBytes += sizeOf(rendering);
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= keptBytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const rendering = this.#kept.get(key);
    if (!rendering) return;
    this.#kept.delete(key);
    this.#keptBytes -= sizeOf(rendering);
  }
}

/** Text that is plain ASCII, as nearly all of ours, has a byte a character. */
function sizeOf({ bytes, data }: { bytes: Buffer; data: string }): number {
  return bytes.length + data.length;
}
