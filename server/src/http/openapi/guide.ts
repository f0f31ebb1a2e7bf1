import { errorCatalogue } from '../../core/errors.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import { streamBounds, uploadBounds } from '../pipeline/concurrency.ts';
import { findKnown } from '../../core/lists.ts';

/** The facts that the guide depends on. */
interface GuideFacts {
  versions: ApiVersions;
  version: string;
  publicUrl: string;
  /** The permissions that operations need. */
  permissions: readonly string[];
  /** Returns the name of an object's member in this version. */
  word: (object: string, name: string) => string;
}

/** Returns the rules of all operations, in Markdown. With them, the page of an operation is enough to use it. */
export function guide(facts: GuideFacts): string {
  const sections = [
    introduction(facts),
    authentication(facts),
    connectedAccounts,
    versioning(facts),
    requests,
    idempotency,
    errors(facts),
    lists(facts),
    expanding(facts),
    metadata,
    streaming,
    webhooks,
    limits,
  ];
  return sections.map((section) => section.trim()).join('\n\n');
}

const introduction = ({ version, publicUrl, versions }: GuideFacts): string => `
Tenure is an open leasing API that you host yourself, for letting agents and proptech companies. Its heart is the tenant **reference**: the check of a person as a tenant. Every change makes an event, and every event is
delivered to your webhook endpoints. Every POST and DELETE request leaves a log. You can safely retry every POST.

This is version \`${version}\`: ${findKnown(versions.all, ({ date }) => date === version).sentence}

\`\`\`sh
curl ${publicUrl}/v1/references \\
  -H "Authorization: Bearer sk_test_…" \\
  -H "Service-Version: ${version}" \\
  -H "Content-Type: application/json" \\
  -d '{"application": "app_1042", "customer": "cus_1"}'
\`\`\`
`;

const authentication = ({ publicUrl, permissions }: GuideFacts): string => `
# Authentication

Every path below \`${publicUrl}/v1\` needs an API key: \`Authorization: Bearer <key>\`. The server’s first start prints a key. \`npm run new-key\` creates another, and a key can create keys (see API keys).

| Kind | Begins with | For |
|---|---|---|
| secret | \`sk_test_\`, \`sk_live_\` | your server. It has all permissions unless you send fewer. |
| restricted | \`rk_test_\`, \`rk_live_\` | one job, with the permissions for it |
| agent | \`ak_test_\`, \`ak_live_\` | a program that acts by itself. It has a name, expires after 90 days at most, and creates no keys. |

Keys with \`test\` are for sandboxes, and keys with \`live\` are for live deployments. Each operation names the permission that it needs. \`<resource>.write\` includes \`<resource>.read\`. The permissions are ${permissions.map((name) => `\`${name}\``).join(', ')}.

Some pages need no key: this page, \`/openapi.json?version=<date>\` (this document), \`/docs/errors\` and \`/healthz\` (the process runs). \`/readyz\` needs none either: it returns 200 if the database responds, otherwise 503. HEAD gets the response of GET without the body, except on streams. Paths do not end with a slash.
`;

const connectedAccounts = `
# Connected accounts

A platform creates an account for each of its customers (\`POST /v1/accounts\`). It acts for that account with its own key and the header \`Service-Context: acct_…\`. With this header, you create and read records of that account, and objects have \`account\` (events do not). You reach the accounts that your account created, but not the accounts that those created.

Responses have the version of your key’s account, unless \`Service-Version\` names another. A connected account’s own version is for its endpoints, and for the keys that you create for it (\`POST /v1/api_keys\` with \`Service-Context\`). An account that is not connected to yours and one that does not exist get the same error.
`;

const versioning = ({ versions, version }: GuideFacts): string => `
# Versions

A version is a date. An account’s first request pins it to the latest version. It keeps the shapes of that version until you upgrade it (\`POST /v1/account/api_version\`). You can preview an upgrade
(\`GET /v1/account/api_version/preview\`), and roll it back within 72 hours. To try this in a sandbox, start it with \`TENURE_LATEST_VERSION\` set to an older date.

A single request can name another version: \`Service-Version: ${version}\`. Send an exact date. Every response has its version in the same header. A version applies to bodies, filters, paths to expand, responses, events, and the \`param\` of an error. Each webhook endpoint has a version of its own. New members, event types and error codes can be added without a new version.

Versions up to this one, the newest first:

${versions.all
  .filter(({ date }) => date <= version)
  .map(({ date, sentence }) => `- \`${date}\`: ${sentence}`)
  .join('\n')}
`;

const requests = `
# Requests

Send bodies as JSON objects in UTF-8, with \`Content-Type: application/json\`, up to 256 kB. Upload a file in a form (\`multipart/form-data\`), up to 10 MB. Use POST to create and update records. An update changes only the members that you send. In a body that creates a record, null means the same as leaving the member out.

The server never coerces or ignores input. An unknown member or query parameter gets 400, with the nearest known name. A key that occurs twice gets 400 too. Do not send \`Authorization\`, \`Service-Context\`, \`Service-Version\`, \`Content-Type\`, \`Idempotency-Key\` or \`Last-Event-ID\` twice. Times are whole seconds since the Unix epoch. Ids are opaque, up to 255 characters of \`a-z\`, \`A-Z\`, \`0-9\` and \`_\`.

Every response has a \`Request-Id\`. For POST and DELETE it is also the id of a log.
`;

const idempotency = `
# Idempotency

If you get no response, the request may or may not have been executed. So send every POST with an \`Idempotency-Key\`: 1 to 255 printable ASCII characters, and a new key for each operation. Then you can safely send the same request
again, because it is executed once. The retry gets the first response, byte for byte, with \`Idempotent-Replayed: true\`. \`Original-Request\` is the id of the request that was executed.

A key lives for 24 hours from its first use. It belongs to the account of your API key and to the account acted upon: with another \`Service-Context\`, the same text is another key. With another method, path, query or body, the key is refused (\`idempotency_key_reused\`). While the first request is running, a retry
gets 409 (\`idempotency_key_in_use\`). A request that is refused before its execution leaves its key free: for a parameter, a permission, 401, 429 or 503. A 404, a forbidden transition and a 500 are stored like any response. GET and DELETE ignore the header.

A client needs one rule. After no response, or one with \`Service-Should-Retry: true\`, send the same request with the same key, after the time in \`Retry-After\`. A POST without a key that may have been executed gets 503 with \`Service-Should-Retry: false\`. Then check whether the change was made before you retry.
`;

const errors = ({ publicUrl }: GuideFacts): string => `
# Errors

Every error has the same body:

\`\`\`json
{"error": {"type": "invalid_request_error", "code": "parameter_missing", "message": "\`application\` is required.", "param": "application",
 "doc_url": "${publicUrl}/docs/errors/parameter_missing", "request_id": "req_…"}}
\`\`\`

\`code\` is for programs, and \`message\` is for people. \`Service-Should-Retry\` says whether a retry may get another response. Each code has [a page](${publicUrl}/docs/errors):

| Status | Code | Type |
|---|---|---|
${Object.entries(errorCatalogue)
  .sort(([, left], [, right]) => left.status - right.status)
  .map(([code, { status, type }]) => `| ${status} | [\`${code}\`](${publicUrl}/docs/errors/${code}) | \`${type}\` |`)
  .join('\n')}

Two codes can also have status 400. \`account_invalid\` has it if \`Service-Context\` is not an account id, or if you create an account or an endpoint with \`connected: true\` while it names a connected account. \`resource_missing\` has it if a link cannot be to a record: the id begins like another kind's, or it has the form of our ids and there is no such record. With strict links, every linked record must exist.
`;

const lists = ({ word }: GuideFacts): string => `
# Lists

A list has the newest records first: \`{"object": "list", "${word('list', 'count')}", "has_more", "data"}\`. \`${word('list', 'count')}\` is the exact number of all matches. \`limit\` is 1 to 50, and 20 by default. Page with \`offset\`, or with a cursor: the id of the last record in \`starting_after\`, or of the first one in \`ending_before\`. With a cursor, you miss and
repeat nothing while records are created. \`has_more\` is about the direction of paging. You can bound every list with \`created[gt]\`, \`created[gte]\`, \`created[lt]\` and \`created[lte]\`.
`;

const expanding = ({ word }: GuideFacts): string => `
# Expanding

Expand a member to get the linked record instead of its id: \`GET /v1/references/{id}?expand=${word('reference', 'customer')}\`, in lists \`?expand=data.${word('reference', 'customer')}\`. This works on every GET and
POST whose response has links. Separate several paths by commas, or send them one by one (\`expand\`, \`expand[]\` or \`expand[0]\`). A path can follow up to four links. An id without a record here stays an id. Events and webhooks are never expanded.
`;

const metadata = `
# Metadata

Many records have \`metadata\`: up to 50 pairs, with keys of 1 to 40 characters without brackets, and values of up to 500 characters. Empty metadata is \`{}\`. An update merges: a pair replaces the one with its key, \`""\` removes it, and null clears all.
`;

const streaming = `
# Streaming events

\`GET /v1/events/stream\` sends each event as soon as it is committed, as server-sent events. You need no public address. \`id\` is the event’s id, and \`data\` is the event as the list shows it, on one line. There is no \`event\` line, so \`onmessage\` receives all events.

\`\`\`text
retry: 1000

id: evt_…
data: {"id":"evt_…","object":"event","type":"reference.created", …}
\`\`\`

A stream begins now. When it ends, reconnect with the last id that you have, in \`Last-Event-ID\` or \`after\`. The stream resumes after that event, and no event is lost or repeated. If that event is no longer stored, you get 400 (\`event_cursor_expired\`). Then read the records that you need from the lists, and open a new stream.

The order of a stream is not that of the list. All streams of an account have the same order, and changes of one record come in their order. To get past and future events, open a stream, then read the list, and skip duplicates.
`;

const webhooks = `
# Webhooks

Create a webhook endpoint and subscribe it to event types (\`*\`, \`<resource>.*\` or \`<resource>.<verb>\`). The server sends each event to it by POST, within milliseconds, in the endpoint’s version. The response that creates the endpoint has its \`signing_secret\`.

## Verify the signature

Each delivery has \`Service-Signature: t=<unix seconds>,v1=<hex>\`. It is an HMAC-SHA256 over \`<t>.<raw body>\`, and its key is the whole \`whsec_…\` text. Verify it over the raw bytes of the body. A rolled secret takes effect at once. So a delivery may be signed with the new secret before you have it. Refuse that delivery, and it is retried.

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Throws unless \`body\`, the Buffer as it arrived, was signed with the secret, no more than five minutes from now. */
function verify(header, body, secret) {
  const { t, v1 } = Object.fromEntries(header.split(',').map((part) => part.split('=')));
  if (!/^[0-9]{1,12}$/.test(t) || !v1) throw new Error('missing or malformed Service-Signature');
  if (Math.abs(Date.now() / 1000 - Number(t)) > 300) throw new Error('timestamp more than 5 minutes away');
  const expected = Buffer.from(createHmac('sha256', secret).update(\`\${t}.\`).update(body).digest('hex'));
  const given = Buffer.from(v1);
  // timingSafeEqual throws when the lengths differ.
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('wrong signature');
}
\`\`\`

## Respond, and get retries

Respond with 2xx at once, and do your work afterwards. Redirects are not followed. An attempt without 2xx within 15 seconds has failed, and the event is retried. By default, retries follow after 5 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 20 h. Each pause varies by up to a
fifth, and takes up to twice as long if you send \`Retry-After\`. After the last attempt the delivery is \`failed\`. An event can arrive more than once, and events can arrive out of order. So store the ids that you have processed (\`Service-Event-Id\`).
\`GET /v1/webhook_endpoints/{id}/deliveries\` and \`GET /v1/events/{id}/deliveries\` show every attempt.

Deliveries go to public addresses only, which are checked at each connection. A sandbox may reach its own machine too. In live mode the URL must be https.
`;

const limits = `
# Limits

| What | Limit |
|---|---|
| Body of a request | 256 kB, 32 levels deep, 1,000 members and items in all |
| Request line and headers | 16 kB |
| File | 10 MB, a PDF |
| A request’s headers, its body, a file | 10, 15 and 60 seconds to arrive |
| Uploads of an account at once | ${uploadBounds.ofAccountMax}. More get 429, or 503 if a server has too many of all accounts. |
| Streams of an account at once | ${streamBounds.ofAccountMax} in a process. More get 429, or 503 if a process has too many of all accounts. |
| Page of a list | 50 records |
| Texts | 500 characters, unless a member has another limit |
| Webhook endpoints of an account | 100 |
| Idempotency-Key | 24 hours |
| Rolling back an upgrade | 72 hours |
| Requests | A setting of the deployment. The default is no limit in a sandbox, and 100 a second for an account in live mode. \`RateLimit\` says how many are left, and a 429 says when to retry. |
`;
