import { ApiError } from '../../../core/errors.ts';
import { startingWith } from '../../../core/iterables.ts';
import { parseJson } from '../../../core/json.ts';
import { toSeconds } from '../../../core/clock.ts';
import { LinkedId } from '../../../model/schemas/fields.ts';
import { fieldOf, type StoredRecord } from '../../../model/record.ts';
import { described } from '../../../model/schemas/make.ts';
import type { HttpContext } from '../../context.ts';
import type { ApiRequest } from '../../request.ts';
import type { ContentsRoute } from '../../route.ts';
import { resourceAt } from '../../write/decisions.ts';
import { load } from './load-record.ts';

/** Seconds after a reveal in which its caller can download the files. */
const revealedSeconds = 600;

interface SealedFile {
  file: string;
  filename: string;
  size: number;
  sha256: string;
  /** Left out in holds from before pictures could be files. */
  content_type?: string;
}

/** Returns `GET /v1/retention_holds/{id}/contents`: the bytes of a sealed file, for the caller of a recent reveal. */
export function sealedContentsRoute(context: HttpContext): ContentsRoute {
  const holds = resourceAt(context, 'retention_holds');
  return {
    method: 'GET',
    operationId: 'retention_holds_contents',
    docs: {
      summary: 'Download a sealed file',
      description:
        'Returns the bytes of a file in a retention hold. The caller must have revealed the hold within the last ten minutes: that request gives the reason.',
      refusals: ['parameter_missing', 'status_transition_invalid'],
    },
    response: {
      kind: 'file',
      contentTypes: ['application/pdf', 'image/jpeg', 'image/png'],
      description: 'The file, byte for byte.',
    },
    path: '/v1/retention_holds/:id/contents',
    permission: 'retention_holds.write',
    object: 'retention_hold',
    expandable: null,
    query: { file: described(LinkedId, 'The id of the file, from `files` of the hold.') },
    requiredQuery: ['file'],
    async open(request, query) {
      const hold = await load(context, holds, request);
      const file = String(query.file);
      const found = fileIn(context, hold, file, request);
      if (!found) throw notRevealed(hold, file);
      const key = Buffer.from(context.encryption.decrypt(fieldOf(hold, 'file_key') as Buffer), 'base64');
      const parts = context.sealedFiles.read(request.accountId, hold.id, key, file);
      const first = await parts.next();
      if (first.done) throw notRevealed(hold, file);
      const { filename, size, sha256, content_type: contentType = 'application/pdf' } = found;
      return { filename, contentType, size, sha256, bytes: startingWith(first.value, parts) };
    },
  };
}

/** Returns the facts of a file if this caller has just revealed its hold, or null. */
function fileIn(
  { clock, encryption }: HttpContext,
  hold: StoredRecord,
  file: string,
  { principal }: ApiRequest,
): SealedFile | null {
  const sealed = fieldOf(hold, 'sealed');
  const revealedAt = fieldOf(hold, 'revealed_at');
  if (!Buffer.isBuffer(sealed) || typeof revealedAt !== 'number') return null;
  if (fieldOf(hold, 'revealed_to') !== principal.id) return null;
  if (toSeconds(clock.nowMs()) >= revealedAt + revealedSeconds) return null;
  const { files } = parseJson(encryption.decrypt(sealed)) as unknown as { files: SealedFile[] };
  return files.find((candidate) => candidate.file === file) ?? null;
}

function notRevealed(hold: StoredRecord, file: string): ApiError {
  return new ApiError(
    'status_transition_invalid',
    `The retention hold ${hold.id} shows no file \`${file}\` to you now. Reveal the hold first, with a reason. Its files can then be downloaded for ten minutes.`,
  );
}
