import { invalidParameter } from '../../core/errors.ts';
import { metadataOf } from '../../model/metadata.ts';
import type { Caller } from '../../model/caller.ts';
import { scriptFault } from '../../core/simulation-script.ts';
import type { ReferenceRecord } from './record.ts';

/**
 * Refuses a `metadata.simulate` that a simulated service would take for `accept`. Where no simulated service carries the reference out, the
 * pair is the client's own.
 *
 * @throws {ApiError} `parameter_invalid`, with the list of the words.
 */
export function requirePlayableScript(
  automatic: ReferenceRecord['automatic_reference'],
  input: object,
  { referencingServices }: Caller,
): void {
  const script = metadataOf(input)?.simulate;
  // An empty value removes the pair.
  if (script === undefined || script === '') return;
  if (!automatic?.enabled || !automatic.provider || referencingServices[automatic.provider] !== 'simulated') return;
  const fault = scriptFault(script);
  if (fault !== null) throw invalidParameter('metadata[simulate]', fault);
}
