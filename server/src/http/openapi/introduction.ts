/** The facts that the introduction depends on. */
interface IntroductionFacts {
  version: string;
  publicUrl: string;
}

/** Returns what a reader needs before the first operation, in Markdown: less than a screen. The guides have the rest. */
export function introduction({ version, publicUrl }: IntroductionFacts): string {
  const guides = `${publicUrl}/docs/guides`;
  return `
Tenure is an open leasing API that you host yourself. Its heart is the tenant **reference**: the check of a person as a tenant. Every change makes an event.

- **Base URL:** \`${publicUrl}/v1\`. Bodies are JSON. See [Requests and responses](${guides}/requests).
- **Key:** send \`Authorization: Bearer sk_test_…\`. The first start of the server prints a key. See [API keys](${guides}/keys).
- **Version:** this is \`${version}\`. An account keeps its version until you upgrade it. See [Versions](${guides}/versions).
- **Errors:** each error has a \`code\`, and each code has [a page](${publicUrl}/docs/errors) with an example.
- **Idempotency:** send each POST with an \`Idempotency-Key\`, and retry it safely. See [Idempotency](${guides}/idempotency).

[All guides](${guides}), also for [webhooks](${guides}/webhooks) and [events](${guides}/events). For programs: [llms.txt](${publicUrl}/llms.txt).
`.trim();
}

/** Returns what a reader needs before the first operation of the portal. */
export function portalIntroduction(publicUrl: string): string {
  const guides = `${publicUrl}/docs/guides`;
  return `
The portal shows applicants, tenants and guarantors their own records. Tenure has pages for it. With these operations, you make pages of your own.

- **Base URL:** \`${publicUrl}/v1/portal\`. Bodies are JSON.
- **Session:** your server makes a link with \`POST /v1/portal_sessions\`. The person opens it once, with \`POST /v1/portal/open\`. Send the token from there: \`Authorization: Bearer pst_…\`.
- **Scope:** a session sees the records of its person. Every other record is 404.
- **Rate:** a session sends five requests a second.

[The guide](${guides}/portal) has an example. The errors are those of [the API](${publicUrl}/docs/errors).
`.trim();
}
