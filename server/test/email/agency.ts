import { expect, vi } from 'vitest';
import type { Role } from '../../src/model/callers/roles.ts';
import type { Passkey } from '../../src/resources/people/user.ts';
import type { Overrides } from '../../src/server/context.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { mailServerForTest, type MailServer } from '../support/mail-server.ts';
import { signedIn, type SignedIn } from '../support/browser.ts';
import { waitMs } from '../support/wait.ts';

/** The address that sends the e-mails of tests. */
export const from = 'notices@tenure.example';

/** A mail server is tried again soon, and is given up soon. A call to it ends only if the test fails. */
export const quick: NonNullable<Overrides['emailLimits']> = {
  pauses: [0.05, 0.05, 0.1, 0.1, 0.2, 0.2, 0.5, 0.5, 1, 1],
  timeouts: { connectMs: waitMs, silenceMs: waitMs, wholeMs: waitMs },
};

/** A live deployment that sends e-mails, with an owner. */
export interface Agency {
  server: TestServer;
  mail: MailServer;
  owner: SignedIn;
}

/** Returns the settings of a live server that uses a mail server. */
export function mailSettings(mail: Pick<MailServer, 'url'>): Record<string, string> {
  return { TENURE_MODE: 'live', TENURE_RATE_LIMIT: '0', TENURE_SMTP_URL: mail.url, TENURE_EMAIL_FROM: from };
}

export async function agencyForTest(
  options: { mail?: MailServer; settings?: Record<string, string>; overrides?: Overrides; works?: false } = {},
): Promise<Agency> {
  const mail = options.mail ?? (await mailServerForTest());
  const server = await serverForTest({
    settings: { ...mailSettings(mail), ...options.settings },
    overrides: { emailLimits: quick, ...options.overrides },
    ...(options.works !== false && { works: true }),
  });
  return { server, mail, owner: await memberOf(server, 'owner') };
}

/** Writes a user with a session. Live mode requires a second factor. */
export function memberOf(server: TestServer, role: Role): Promise<SignedIn> {
  return signedIn(server, role, { changed: { passkeys: [{ id: 'a' } as Passkey] } });
}

/** Waits until a record shows this status of its e-mail. Returns the record. */
export async function untilShown(
  read: () => Promise<{ status: number; text: string; body: { email_status: string | null; email_failure: string } }>,
  status: string,
): Promise<{ email_status: string | null; email_failure: string }> {
  return vi.waitFor(
    async () => {
      const { body } = await good(read() as ReturnType<TestServer['api']['get']>);
      expect(body.email_status).toBe(status);
      return body;
    },
    { timeout: waitMs, interval: 100 },
  );
}
