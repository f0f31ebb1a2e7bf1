import { describe, expect, test } from 'vitest';
import {
  SmtpClosedError,
  SmtpFault,
  SmtpSender,
  type OutgoingMessage,
  type SmtpSettings,
} from '../../src/email/smtp.ts';
import { mailServerForTest, type MailServer } from '../support/mail-server.ts';
import { certificateForTest } from '../support/tls-receiver.ts';
import { waitMs } from '../support/wait.ts';

const message: OutgoingMessage = {
  messageId: '<eml_1@tenure.example>',
  sentAt: new Date('2026-11-28T12:00:00Z'),
  from: { name: 'Northern Homes', address: 'notices@tenure.example' },
  replyTo: null,
  to: 'ada@example.com',
  subject: 'Subject',
  text: 'Text',
  html: '<p>Text</p>',
};

const credentials = { user: 'user', password: 'secret' };

/** Milliseconds. */
const shortMs = 3_000;

/** @param wholeMs for tests of servers that never come to an end. The others have time until the test fails. */
function senderTo({ port }: MailServer, settings: Partial<SmtpSettings>, wholeMs = waitMs): SmtpSender {
  const limits = { connectMs: waitMs, silenceMs: waitMs, wholeMs };
  const server = { host: 'localhost', port, tls: 'upgrade' as const, credentials, from: message.from.address };
  return new SmtpSender({ ...server, ...settings }, 'tenure.example', limits);
}

async function faultOf(sending: Promise<void>): Promise<SmtpFault> {
  const fault = await sending.catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(SmtpFault);
  return fault as SmtpFault;
}

describe('a connection to the mail server', () => {
  test('is encrypted before the password and the message when the server offers STARTTLS', async () => {
    const mail = await mailServerForTest(certificateForTest('of localhost'));
    await senderTo(mail, {}).send(message);
    expect(mail.mails).toMatchObject([{ isEncrypted: true, user: 'user', to: 'ada@example.com' }]);
  });

  test('sends neither password nor message when the server offers no STARTTLS', async () => {
    const mail = await mailServerForTest();
    expect(await faultOf(senderTo(mail, {}, shortMs).send(message))).toMatchObject({ isFinal: false });
    expect([mail.signIns, mail.mails, mail.refused]).toEqual([[], [], []]);
  });

  test.each(['signed by itself', 'expired', 'of another host'] as const)(
    'sends neither password nor message when the certificate is %s',
    async (certificate) => {
      const mail = await mailServerForTest(certificateForTest(certificate));
      expect(await faultOf(senderTo(mail, {}).send(message))).toMatchObject({ isFinal: false });
      expect([mail.signIns, mail.mails, mail.refused]).toEqual([[], [], []]);
    },
  );

  test('ends at once when the sender is closed', async () => {
    const mail = await mailServerForTest();
    mail.replies = { EHLO: 'hang' };
    const sender = senderTo(mail, { tls: 'off' });
    const sending = sender.send(message).catch((error: unknown) => error);
    await mail.connected(1);
    sender.close();
    expect(await sending).toBeInstanceOf(SmtpClosedError);
    await expect(sender.send(message)).rejects.toBeInstanceOf(SmtpClosedError);
  });

  test('ends in time when the server sends a byte at a time', async () => {
    const mail = await mailServerForTest();
    mail.replies = { EHLO: 'drip' };
    expect(await faultOf(senderTo(mail, { tls: 'off' }, shortMs).send(message))).toMatchObject({ isFinal: false });
  });

  test.each(['MAIL', 'RCPT', 'DATA', 'message'] as const)(
    'lets the e-mail be sent later when the reply to %s is not one of SMTP',
    async (step) => {
      const mail = await mailServerForTest();
      mail.replies = { [step]: '!! no reply of SMTP' };
      const sender = senderTo(mail, { tls: 'off', credentials: null });
      expect(await faultOf(sender.send(message))).toMatchObject({ isFinal: false });
    },
  );
});
