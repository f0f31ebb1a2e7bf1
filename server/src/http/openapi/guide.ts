import { errorCatalogue } from '../../core/errors.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import { streamBounds, uploadBounds } from '../pipeline/concurrency.ts';

/** What the guide is written for. */
interface GuideFacts {
  versions: ApiVersions;
  version: string;
  publicUrl: string;
  /** Those that operations need. */
  permissions: readonly string[];
  /** What this version calls a member of an object. */
  word: (object: string, name: string) => string;
}

/** All that holds for every operation, in Markdown: who has read it and an operation's own page can use that operation. */
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
Tenure is an open leasing API that you host yourself, for letting agents and proptech companies. Its heart is the tenant **reference**: the check on a person who wants to rent. Every change makes an event, every event is
delivered to your webhook endpoints, every request that changes something leaves a log, and every POST can be repeated safely.

This is version \`${version}\`: ${versions.all.find(({ date }) => date === version)!.sentence}

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

Every path below \`${publicUrl}/v1\` needs an API key: \`Authorization: Bearer <key>\`. The server’s first start prints one, \`npm run new-key\` makes another, and keys make keys (see API keys).

| Kind | Begins with | For |
|---|---|---|
| secret | \`sk_test_\`, \`sk_live_\` | your server; may do everything unless it was given fewer permissions |
| restricted | \`rk_test_\`, \`rk_live_\` | one job: what its permissions say |
| agent | \`ak_test_\`, \`ak_live_\` | a program that acts by itself; has a name, ends after 90 days at most, makes no keys |

\`test\` and \`live\` keys are for deployments of that mode. Each operation names the permission it needs; \`<resource>.write\` includes \`<resource>.read\`. Operations need ${permissions.map((name) => `\`${name}\``).join(', ')}.

No key is needed for this page, \`/openapi.json?version=<date>\` (this document), \`/docs/errors\`, \`/healthz\` (the process is alive) and \`/readyz\` (200 if its database answers, 503 if not). HEAD is answered as GET is, without the body, but for streams. Paths have no slash at their end.
`;

const connectedAccounts = `
# Connected accounts

A platform makes an account for each of its customers (\`POST /v1/accounts\`) and acts for it with its own key and the header \`Service-Context: acct_…\`. What is made then belongs to that account, what is read is that
account’s own, and objects have \`account\` (events have not). It reaches the accounts that were made by your own, not those that they have made. Answers have the version of your key’s account, unless \`Service-Version\` names one; a connected
account’s own version is for the keys that you make for it (\`POST /v1/api_keys\` with \`Service-Context\`) and for its endpoints. An account that is not connected to yours and one that does not exist get the same answer.
`;

const versioning = ({ versions, version }: GuideFacts): string => `
# Versions

A version is a date. The first request of an account pins it to the latest version, and it keeps the shapes of that one until it upgrades (\`POST /v1/account/api_version\`); an upgrade can be previewed
(\`GET /v1/account/api_version/preview\`) and, for 72 hours, taken back. To try that in a sandbox, start it with \`TENURE_LATEST_VERSION\` set to an older date. A single request can name another version: \`Service-Version: ${version}\`. Every answer tells its version in the same header. Only exact dates are
taken. A version holds for bodies, filters, paths to expand, answers, events, and the \`param\` of an error; each webhook endpoint has a version of its own. New members, new kinds of event and new codes can come without a new version.

Versions up to this one, the newest first:

${versions.all
  .filter(({ date }) => date <= version)
  .map(({ date, sentence }) => `- \`${date}\`: ${sentence}`)
  .join('\n')}
`;

const requests = `
# Requests

Bodies are JSON objects in UTF-8, with \`Content-Type: application/json\`, up to 256 kB. A file is the exception: it comes in a form (\`multipart/form-data\`), and may have 10 MB. Records are made and changed with POST, and an update leaves alone what it does not send. Where a member of a body may be null, null on creation is as if it were left out.
Nothing is coerced or ignored: an unknown member or query parameter is a 400, which names the one that was probably meant, and so is a key that comes twice. \`Authorization\`, \`Service-Context\`, \`Service-Version\`, \`Content-Type\`, \`Idempotency-Key\` and \`Last-Event-ID\` must not come twice either. Times are whole seconds since the Unix epoch. Ids are opaque, up to 255 characters of \`a-z\`, \`A-Z\`, \`0-9\` and \`_\`.

Every answer has a \`Request-Id\`. For POST and DELETE it is also the id of a log.
`;

const idempotency = `
# Idempotency

A request that got no answer may have been carried out, or not. Send any POST with an \`Idempotency-Key\`, 1 to 255 printable ASCII characters and a new one for each operation, and you need not know: send the very same request
again, and it is carried out once. The repeat gets the first answer, byte for byte, with \`Idempotent-Replayed: true\` and, in \`Original-Request\`, the request that was carried out.

A key lives for 24 hours from its first use. It belongs to the account of your API key and the account acted upon: the same key with another \`Service-Context\` is another key. Sent with another method, path, query or body it is refused (\`idempotency_key_reused\`); while its first request is running, the repeat
gets 409 (\`idempotency_key_in_use\`). A request that was refused before it was carried out (a parameter, a permission, 401, 429, 503) leaves its key free; a 404, a forbidden transition and a 500 are kept like any answer. On GET and DELETE the header is ignored.

One rule is enough for a client: after no answer, or one with \`Service-Should-Retry: true\`, send the same request with the same key, after the time in \`Retry-After\`. A POST without a key that may have been carried out is answered 503 with \`Service-Should-Retry: false\`: look whether what it was to do is there before you send it again.
`;

const errors = ({ publicUrl }: GuideFacts): string => `
# Errors

Every refusal has the same body:

\`\`\`json
{"error": {"type": "invalid_request_error", "code": "parameter_missing", "message": "\`application\` is required.", "param": "application",
 "doc_url": "${publicUrl}/docs/errors/parameter_missing", "request_id": "req_…"}}
\`\`\`

\`code\` is for programs, \`message\` for the person who must act. \`Service-Should-Retry\` says whether the same request may have another answer later. Each code has [a page](${publicUrl}/docs/errors):

| Status | Code | Type |
|---|---|---|
${Object.entries(errorCatalogue)
  .sort(([, left], [, right]) => left.status - right.status)
  .map(([code, { status, type }]) => `| ${status} | [\`${code}\`](${publicUrl}/docs/errors/${code}) | \`${type}\` |`)
  .join('\n')}

A \`Service-Context\` that is no account id at all is \`account_invalid\` with 400, and so is one of a connected account where an account is made; a link to a record that an account with strict links does not have is \`resource_missing\` with 400.
`;

const lists = ({ word }: GuideFacts): string => `
# Lists

A list has the newest records first: \`{"object": "list", "${word('list', 'count')}", "has_more", "data"}\`. \`${word('list', 'count')}\` is the exact number of all matches. \`limit\` is 1 to 50 (20 unless you say otherwise). Page with \`offset\`, or, so that
nothing is missed or repeated while records are made, with the id of the last record in \`starting_after\` or of the first one in \`ending_before\`; \`has_more\` speaks of the direction that is paged. Every list can be bounded with \`created[gt]\`, \`created[gte]\`, \`created[lt]\` and \`created[lte]\`.
`;

const expanding = ({ word }: GuideFacts): string => `
# Expanding

A member that holds the id of a linked record shows the record itself if you ask for it: \`GET /v1/references/{id}?expand=${word('reference', 'customer')}\`, in lists \`?expand=data.${word('reference', 'customer')}\`. It works on every GET and
POST whose answer has links, several paths are separated by commas or sent one by one (\`expand\`, \`expand[]\` or \`expand[0]\`), and a path can follow up to four links. An id without a record here stays an id. Events and webhooks are never expanded.
`;

const metadata = `
# Metadata

Many records take \`metadata\`: up to 50 pairs, with keys of 1 to 40 characters without brackets and values of up to 500. It is \`{}\` when it is empty. An update merges: a pair replaces the one of its key, \`""\` removes it, and null clears all.
`;

const streaming = `
# Streaming events

\`GET /v1/events/stream\` sends each event as it is committed, as server-sent events, without an address that others must reach. \`id\` is the event’s id and \`data\` the event as the list shows it, on one line; there is no \`event\` line, so \`onmessage\` gets all of them.

\`\`\`text
retry: 1000

id: evt_…
data: {"id":"evt_…","object":"event","type":"reference.created", …}
\`\`\`

A stream begins now. After it has ended, for whatever reason, connect again with the last id that you have, in \`Last-Event-ID\` or \`after\`: it goes on behind that event, and nothing is lost or comes twice. If that event is no longer kept, the answer is 400 (\`event_cursor_expired\`): read what you need from the lists, and begin anew.

The order of a stream is not that of the list: it is the same for everyone who follows the account, and of two changes of one record the later comes later. To have the past and what follows it, begin a stream, then read the list, and leave out what comes twice.
`;

const webhooks = `
# Webhooks

Make a webhook endpoint, and each event it subscribed to (\`*\`, \`<resource>.*\` or \`<resource>.<verb>\`) is sent to it by POST, within milliseconds, in the endpoint’s version. The answer that makes the endpoint has its \`signing_secret\`.

## Verify the signature

Each delivery has \`Service-Signature: t=<unix seconds>,v1=<hex>\`: HMAC-SHA256, keyed with the whole \`whsec_…\` text, over \`<t>.<raw body>\`. Verify it over the bytes as they came. A secret that is rolled is good at once, so a delivery of that moment may be signed with the new one before you have it: refuse it, and it comes again.

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

## Answer, and what is sent again

Answer 2xx at once and work afterwards; redirects are not followed. Anything else than 2xx within 15 seconds is a failure, and the event is sent again: unless the deployment is set otherwise, after 5 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 20 h, each a
fifth sooner or later, and up to twice as late if you answer \`Retry-After\`. Then the delivery is \`failed\`. The same event can come more than once and not always in order: keep the ids you have seen (\`Service-Event-Id\`).
\`GET /v1/webhook_endpoints/{id}/deliveries\` and \`GET /v1/events/{id}/deliveries\` tell every attempt.

Deliveries go to public addresses only, judged when the connection is made; a sandbox may reach its own machine, too. In live mode the URL must be https.
`;

const limits = `
# Limits

| What | Limit |
|---|---|
| Body of a request | 256 kB, 32 levels deep |
| Request line and headers | 16 kB |
| File | 10 MB, a PDF |
| A request’s headers, its body, a file | 10, 15 and 60 seconds to arrive |
| Uploads of an account at once | ${uploadBounds.ofAccountMax}; beyond that 429, and 503 where a server has too many of all accounts |
| Streams of an account at once | ${streamBounds.ofAccountMax} in a process; beyond that 429, and 503 where a process has too many of all accounts |
| Page of a list | 50 records |
| Texts | 500 characters, unless a member says otherwise |
| Webhook endpoints of an account | 100 |
| Idempotency-Key | 24 hours |
| Taking an upgrade back | 72 hours |
| Requests | as the deployment is set: no limit in a sandbox and 100 a second for an account in live mode, unless it says otherwise; \`RateLimit\` tells how many are left, and 429 when to come back |
`;
