import type { JsonObject } from '../core/json-diff.ts';
import { parseJson } from '../core/json.ts';
import type { ApiVersions } from '../versions/apply.ts';
import type { StoredEvent } from './claim.ts';

/** Bytes of rendered events that are cached for other endpoints: some thousand events whose deliveries are all due at once. */
const keptBytesMax = 2 * 1024 * 1024;

/**
 * Renders the bytes that are sent for an event, in the endpoint's version. They have exactly `id`, `object`, `created`, `type`, `data` and
 * `request`. For an endpoint for connected accounts they also have `account`. They are the same at every attempt, and rendered once for all
 * endpoints of a version.
 */
export class Renderings {
  readonly #versions: ApiVersions;
  readonly #kept = new Map<string, { bytes: Buffer; data: string }>();
  #keptBytes = 0;

  constructor(versions: ApiVersions) {
    this.#versions = versions;
  }

  /**
   * @param accountId the owner of the event, if the endpoint's events name it.
   * @throws {UnknownVersionError} if a newer release made the event, or set the endpoint's version.
   */
  of(event: StoredEvent, version: string, accountId: string | null): Buffer {
    const key = `${event.id} ${version} ${accountId ?? ''}`;
    const known = this.#kept.get(key);
    // An event never changes, except when an erased person is removed from it.
    if (known?.data === event.data) return known.bytes;
    const bytes = this.renderAnew(event, version, accountId);
    this.#keep(key, { bytes, data: event.data });
    return bytes;
  }

  /** Renders as `of` does, without the cache. */
  renderAnew(event: StoredEvent, version: string, accountId: string | null): Buffer {
    return Buffer.from(this.#render(event, version, accountId));
  }

  #render(
    { id, created, type, data, request, shapeVersion }: StoredEvent,
    version: string,
    account: string | null,
  ): string {
    if (version === shapeVersion) {
      // Insert the stored texts as they are, so that they need not be parsed.
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

/** Nearly all of our text is plain ASCII, with one byte a character. */
function sizeOf({ bytes, data }: { bytes: Buffer; data: string }): number {
  return bytes.length + data.length;
}
