import { invalidParameter } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { metadataOf } from '../../model/schemas/metadata.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { scriptFault } from '../../core/vocabulary/simulation-script.ts';
import type { ReferenceRecord } from './record.ts';

/**
 * Refuses an invalid `metadata.simulate`, because a simulated service would read it as `accept`. Without a simulated service, the pair has
 * no special meaning.
 *
 * @throws {ApiError} `parameter_invalid`, with the list of the words.
 */
export function requirePlayableScript(
  automatic: ReferenceRecord['automatic_reference'],
  input: JsonObject,
  { referencingServices }: Caller,
): void {
  const script = metadataOf(input)?.simulate;
  // An empty value removes the pair.
  if (script === undefined || script === '') return;
  if (!automatic?.enabled || !automatic.provider || referencingServices[automatic.provider] !== 'simulated') return;
  const fault = scriptFault(script);
  if (fault !== null) throw invalidParameter('metadata[simulate]', fault);
}
