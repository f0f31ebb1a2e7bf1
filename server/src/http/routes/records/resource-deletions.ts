import { decideErasure, toDecision, isErased, isGone } from '../../../model/change.ts';
import type { Action, Resource } from '../../../model/resource.ts';
import { closedObject } from '../../../model/schemas/make.ts';
import { decideActionOn, endedWith, requireUnused } from '../../write/decisions.ts';
import { idInPath, load, loadPresent } from './load-record.ts';
import { aOrAn, displayName, type WriteRoute } from '../../route.ts';
import { readRetention, sealed, withFilesToErase } from '../../write/person-erasure.ts';
import type { HttpContext } from '../../context.ts';
import { checksRemoval } from '../../../model/traits/checks-removal.ts';
import { erasable, type Erasure } from '../../../model/traits/erasable.ts';
import { inUse } from '../../../model/traits/in-use.ts';
import { keepsOne } from '../../../model/traits/keeps-one.ts';
import { writeRoute, actionResponse, refusingErased, docsOf } from './resource-writes.ts';

/** Returns the deletion of a record. It removes the record, erases a person, or is an action of the kind, such as a revocation. */
export function deleteRoute(context: HttpContext, resource: Resource, how: 'removes' | 'erases' | Action): WriteRoute {
  const name = displayName(resource.object);
  const summary = `Delete ${aOrAn(resource)}`;
  const also = erasedBesides(context, resource);
  const description =
    how === 'erases'
      ? `Erases the person’s data everywhere: in the ${name}, events, logs, and stored responses for an \`Idempotency-Key\`. It also erases the data in references and bank lines, and in texts of tenancies, applications, deposits and payments. It deletes the reports and the evidence of the references, the files that the person has sent, and the files of \`right_to_rent\` and of guarantees. It deletes an agreement or a certificate if it has no other living tenant. Retention holds keep, encrypted, what the law requires you to keep. \`GET /v1/customers/{id}/erasure\` shows in advance what it deletes and what is kept. Only the id of the ${name} is left. The server refuses the request while a tenancy of the person holds a home or has a balance, or while you hold a deposit. The error names the records. A file stays if a record about another person names it. Open references are canceled. Ids, times and outcomes stay. Required texts become \`[erased]\`. When you get the response, the erasure is done. The erasure continues after the response if the history is very long, or if the database does not respond for ten seconds. The server cannot find other files, texts of invoices, and the \`metadata\` of records that stay. Delete or change these yourself. If your own system stores the person, erase each reference with \`POST /v1/references/{id}/erase\`. Your key needs ${also.map((permission) => `\`${permission}\``).join(' and ')} besides \`${resource.path}.write\`.`
      : `Deletes the ${name}. Events and logs still name it.`;
  return {
    ...writeRoute(context, resource, 'DELETE', '/:id', closedObject({})),
    operationId: `${resource.path}_delete`,
    docs: {
      summary,
      description,
      sensitive: true,
      ...(typeof how === 'object' && refusingErased(resource, docsOf(how))),
      ...(keepsOne.has(resource) && { refusals: ['status_transition_invalid' as const] }),
      ...(inUse.has(resource) && { refusals: [inUse.of(resource)?.refusal ?? ('record_in_use' as const)] }),
    },
    response: typeof how === 'object' ? actionResponse(resource, how) : { kind: 'deletion', resource },
    ...(how === 'erases' && { alsoNeeds: also }),
    async decide(request, input, caller, deciding) {
      if (typeof how === 'object') {
        const record = await loadPresent(deciding, resource, request);
        return decideActionOn(deciding, resource, how, record, request, input, caller);
      }
      const before = await load(deciding, resource, request);
      const isRepeated = isGone(resource, before);
      // A payment may have come after the erasure. That does not bring the person back.
      const guards = isRepeated ? [] : await requireUnused(deciding, resource, request, before);
      if (how === 'erases') caller.requireConfirmation();
      if (how === 'removes') {
        checksRemoval.of(resource)?.check(before, caller);
        const ends = await endedWith(deciding, resource, { before, after: null }, caller);
        return { changes: [{ resource, before, after: null }, ...ends], guards };
      }
      if (isRepeated) return toDecision(resource, before, { after: before });
      const { kept, guards: ofDuties } = await readRetention(deciding, resource, request, before);
      const erasure = withFilesToErase(resource, decideErasure(resource, before, caller.nowSeconds), before);
      return { changes: [erasure, ...sealed(deciding, before, kept)], guards: [...guards, ...ofDuties] };
    },
    ...(how === 'erases' && {
      afterCommit: (request) => context.eraser.erasedNow(resource, request.accountId, idInPath(request)),
    }),
  };
}

/** Returns the erasure of personal data in one record. Files about the person are deleted too, which needs another permission. */
export function eraseRoute(context: HttpContext, resource: Resource, erasure: Erasure): WriteRoute {
  const name = displayName(resource.object);
  const also = filePermissions(resource, erasure);
  return {
    ...writeRoute(context, resource, 'POST', '/:id/erase', closedObject({})),
    operationId: `${resource.path}_erase`,
    docs: {
      sensitive: true,
      refusals: ['reauthentication_required'],
      summary: `Erase ${aOrAn(resource)}`,
      description:
        also.length === 0
          ? erasesTexts(resource, erasure)
          : `Erases the personal data of the ${name} for good, if your own system stores the person. It erases the \`metadata\`, the provider’s findings, the files of the report and the evidence. The same data is erased in events, logs and stored responses for an \`Idempotency-Key\`. An open ${name} is canceled. Ids, times and outcomes stay, and \`deleted\` is true. A file stays until the last ${name} that names it is erased. Other ${displayName(resource.path)} about the same person are not changed. List them by \`${erasure.link}\`, and erase each. Your key needs ${also.map((permission) => `\`${permission}\``).join(' and ')} besides \`${resource.path}.write\`. To erase a customer of this API with all of their ${displayName(resource.path)}, use \`DELETE /v1/${resource.links![erasure.link]}/{id}\`.`,
    },
    alsoNeeds: also,
    async decide(request, _, caller, deciding) {
      caller.requireConfirmation();
      const before = await load(deciding, resource, request);
      if (isErased(before)) return toDecision(resource, before, { after: before });
      return { changes: [decideErasure(resource, before, caller.nowSeconds)] };
    },
    afterCommit: (request) => context.eraser.erasedNow(resource, request.accountId, idInPath(request)),
  };
}

/** Returns the permissions for the files that are deleted with a record. Several links can lead to files of one kind. */
function filePermissions({ links }: Resource, { files }: Erasure): string[] {
  return [...new Set(files.map((link) => `${links![link]}.write`))];
}

/** Returns the permissions for all records that are changed or deleted with a person. */
function erasedBesides({ resources }: HttpContext, person: Resource): string[] {
  return resources.flatMap((resource) => {
    const { path, links = {} } = resource;
    const erasure = erasable.of(resource);
    return erasure && links[erasure.link] === person.path
      ? [`${path}.write`, ...filePermissions(resource, erasure)]
      : [];
  });
}

/** Describes the erasure of records that have no files. */
function erasesTexts({ object, path, links }: Resource, { link }: Erasure): string {
  const [name, others] = [displayName(object), displayName(path)];
  return `Erases the personal data of the ${name}: in the ${name}, in events and logs, and in stored responses for an \`Idempotency-Key\`. You cannot undo this. Ids, amounts and times stay, and \`deleted\` is true. Other ${others} about the same person are not changed. List them by \`${link}\`, and erase each. To erase a customer of this API with all of their ${others}, use \`DELETE /v1/${links![link]}/{id}\`.`;
}
