import { Type } from 'typebox';
import { emailsHiddenFrom, sandboxEmail, shownEmail } from '../../email/sandbox-emails.ts';
import { emailKinds } from '../../model/email.ts';
import { closedObject, described, nullable, oneOf } from '../../model/schemas/make.ts';
import type { HttpContext } from '../context.ts';
import type { ReadRoute } from '../route.ts';
import { isConfirmed, realSecondsOf } from '../../sign-in/sessions.ts';
import { listParameters, listQuery } from './records/list.ts';
import { loadPage } from './records/load-record.ts';

const Email = closedObject({
  id: Type.String({ description: 'The id of the e-mail.' }),
  object: Type.Literal('email', { description: 'The kind of the object.' }),
  created: Type.Integer({ description: 'When it was made, in seconds since the Unix epoch.' }),
  kind: described(oneOf(...emailKinds), 'What it is about.'),
  about: Type.String({ description: 'The id of the record that it is about, such as an invitation.' }),
  to: Type.String({ description: 'The address of the recipient.' }),
  from: Type.String({ description: 'The name of the sender: that of the account.' }),
  reply_to: described(
    nullable(Type.String()),
    'The address for replies: the e-mail address in the letterhead of the account. Null if it has none.',
  ),
  subject: Type.String({ description: 'The subject.' }),
  text: Type.String({ description: 'The plain text.' }),
  html: Type.String({ description: 'The HTML. It has the same words, and loads nothing.' }),
  link: nullable(Type.String({ description: 'The link in the e-mail. It is secret. Null if the e-mail has none.' })),
  account: Type.Optional(Type.String({ description: 'The account acted upon, if `Service-Context` names it.' })),
});

const example = {
  id: 'eml_0VbZrD2W00aY9fTmLp4Kc7',
  object: 'email',
  created: 1_795_320_427,
  kind: 'file_link',
  about: 'fln_0VbZrD2W00aY9fTmLp4Kc7',
  to: 'okafor@example.com',
  from: 'Northern Homes',
  reply_to: 'office@northern-homes.example',
  subject: 'Northern Homes has sent you a document',
  text: 'Northern Homes has sent you a document: report.pdf.\n',
  html: '<!doctype html><html lang="en"><body><p>Northern Homes has sent you a document: report.pdf.</p></body></html>',
  link: 'http://127.0.0.1:4000/links#h3Vd8sKq1ZtYb6Wn4Lr9Mc2Xp7Gf5Ja0',
};

/** Returns `GET /v1/test_helpers/emails`: the e-mails that a sandbox keeps. Live mode has no such route. */
export function emailRoutes(context: HttpContext): ReadRoute[] {
  if (!context.sandboxClock) return [];
  return [
    {
      method: 'GET',
      operationId: 'test_helpers_emails_list',
      docs: {
        summary: 'List e-mails',
        description:
          'Sandbox only. Returns the account’s e-mails, the newest first. A sandbox sends none of them. It keeps the newest 1,000 of an account, up to 8 MB, for 30 days. Only an owner or an admin sees the e-mails to members of the team, because their links sign a person in. An admin sees none to an owner. Both see them only within 15 minutes after a confirmation.',
      },
      response: { kind: 'objects', name: 'Email', schema: Email, example },
      path: '/v1/test_helpers/emails',
      // A link to a file shows what the file contains.
      permission: 'file_contents.read',
      object: sandboxEmail.object,
      expandable: null,
      query: listParameters(sandboxEmail),
      async read(request, query) {
        const wanted = listQuery(context, sandboxEmail, query, request.accountId);
        wanted.filters.push({ filter: { column: 'status', match: 'exact', schema: {} }, value: 'kept' });
        const { records, count, hasMore } = await loadPage(
          context,
          sandboxEmail,
          {
            ...wanted,
            without: emailsHiddenFrom(request.principal, isConfirmed(request.principal, realSecondsOf(context))),
          },
          request,
        );
        const data = records.map((record) => ({
          ...shownEmail(record, context.encryption),
          ...(request.hasServiceContext && { account: request.accountId }),
        }));
        return { object: 'list', count, has_more: hasMore, data };
      },
    },
  ];
}
