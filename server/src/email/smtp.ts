import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { oneLine } from './template.ts';

/** How to reach the mail server. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** `start` is TLS from the first byte, `upgrade` is STARTTLS, which the server must offer. */
  tls: 'start' | 'upgrade' | 'off';
  /** Null if the server needs none. */
  credentials: { user: string; password: string } | null;
  /** The address in `From`. */
  from: string;
}

/** A message as the mail server gets it. */
export interface OutgoingMessage {
  /** The same in each attempt, so that a mail server can see a repetition. */
  messageId: string;
  sentAt: Date;
  from: { name: string; address: string };
  replyTo: string | null;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Milliseconds. The connection and the greeting, a silence, and the whole message. */
export interface SmtpTimeouts {
  connectMs: number;
  silenceMs: number;
  wholeMs: number;
}

export const smtpTimeouts: SmtpTimeouts = { connectMs: 10_000, silenceMs: 15_000, wholeMs: 30_000 };

/** Bytes of a response. No sane server sends more. */
const responseBytesMax = 16 * 1024;

const failureLengthMax = 300;

/** The mail server has not taken a message. */
export class SmtpFault extends Error {
  /** Whether the same message would be refused again. */
  readonly isFinal: boolean;
  /** The reply code of the server (RFC 5321, 4.2), or the code of the connection's fault. It has no personal data. */
  readonly code: string;

  constructor(message: string, { isFinal, code }: { isFinal: boolean; code: string }) {
    super(message);
    this.isFinal = isFinal;
    this.code = code;
  }
}

/** The sender was closed while a message was under way. */
export class SmtpClosedError extends Error {}

/** Sends messages to one mail server, each over a connection of its own. */
export class SmtpSender {
  readonly #settings: SmtpSettings;
  readonly #timeouts: SmtpTimeouts;
  readonly #ownHost: string;
  readonly #closing = new AbortController();

  /** @param ownHost the name by which this server introduces itself. */
  constructor(settings: SmtpSettings, ownHost: string, timeouts: SmtpTimeouts = smtpTimeouts) {
    this.#settings = settings;
    this.#ownHost = ownHost;
    this.#timeouts = timeouts;
  }

  /**
   * Resolves once the mail server has accepted the message.
   *
   * @throws {SmtpFault} if it has not. The server may have accepted the message even so, if the connection broke.
   * @throws {SmtpClosedError} if `close` was called meanwhile.
   */
  async send(message: OutgoingMessage): Promise<void> {
    // Loading the library takes long, and most processes send no e-mail.
    const [{ default: Connection }, { default: MailComposer }] = await Promise.all([
      import('nodemailer/lib/smtp-connection'),
      import('nodemailer/lib/mail-composer'),
    ]);
    const compiled = new MailComposer({
      messageId: message.messageId,
      date: message.sentAt,
      from: message.from,
      to: { name: '', address: message.to },
      ...(message.replyTo !== null && { replyTo: { name: '', address: message.replyTo } }),
      subject: message.subject,
      text: message.text,
      html: message.html,
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    }).compile();
    const bytes = await compiled.build();
    const { from, to } = compiled.getEnvelope();
    await this.#deliver(new Connection(this.#options()), { from, to }, bytes);
  }

  /** Ends all connections. */
  close(): void {
    this.#closing.abort();
  }

  #options(): ConstructorParameters<typeof SMTPConnection>[0] {
    const { host, port, tls } = this.#settings;
    const { connectMs, silenceMs } = this.#timeouts;
    return {
      host,
      port,
      secure: tls === 'start',
      requireTLS: tls === 'upgrade',
      ignoreTLS: tls === 'off',
      name: this.#ownHost,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      dnsTimeout: connectMs,
      socketTimeout: silenceMs,
      socketCloseTimeout: 0,
      maxResponseSize: responseBytesMax,
      // The library would log credentials and texts.
      logger: false,
      tls: { minVersion: 'TLSv1.2' },
    };
  }

  async #deliver(
    connection: SMTPConnection,
    envelope: Parameters<SMTPConnection['send']>[0],
    bytes: Buffer,
  ): Promise<void> {
    const { credentials } = this.#settings;
    const failed = Promise.withResolvers<never>();
    connection.on('error', (error: Error) => failed.reject(faultOf(error)));
    connection.once('end', () => failed.reject(new SmtpFault(unreachable, { isFinal: false, code: 'closed' })));
    // The last step may end before it fails.
    failed.promise.catch(() => {});
    const stop = (): void => failed.reject(new SmtpClosedError('The sender of e-mails was closed.'));
    const { signal } = this.#closing;
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const timeout = setTimeout(
      () => failed.reject(new SmtpFault(unreachable, { isFinal: false, code: 'timeout' })),
      this.#timeouts.wholeMs,
    );
    const step = (take: (done: (error?: Error | null) => void) => void): Promise<void> =>
      Promise.race([
        failed.promise,
        new Promise<void>((resolve, reject) => take((error) => (error ? reject(faultOf(error)) : resolve()))),
      ]);
    try {
      await step((done) => connection.connect(done));
      if (credentials)
        await step((done) => connection.login({ user: credentials.user, pass: credentials.password }, done));
      await step((done) => connection.send(envelope, bytes, done));
      connection.quit();
    } finally {
      clearTimeout(timeout);
      signal.removeEventListener('abort', stop);
      connection.close();
    }
  }
}

const unreachable = 'The mail server could not be reached.';

/** Refusals about this server and not about the message: a wrong password, or missing TLS (RFC 4954). */
const setupCodes: ReadonlySet<number> = new Set([421, 530, 534, 535, 538]);

/** The commands whose refusal is about the message. */
const messageCommands: ReadonlySet<string> = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);

function faultOf(error: Error): SmtpFault {
  const { responseCode, response, command, code } = error as Error & {
    responseCode?: number;
    response?: string;
    command?: string;
    code?: string;
  };
  const isAboutMessage = command !== undefined && messageCommands.has(command);
  if (responseCode === undefined) {
    // The library refuses what no server would take, such as an address that cannot be written. A reply that is not one of SMTP has the same
    // code, but says nothing about the message.
    const isFinal = response === undefined && (code === 'EENVELOPE' || code === 'EMESSAGE');
    const message = isFinal ? 'The address cannot be used, or the message is too large.' : unreachable;
    return new SmtpFault(message, { isFinal, code: code ?? 'unknown' });
  }
  const isSetup = code === 'EAUTH' || setupCodes.has(responseCode) || !isAboutMessage;
  const isFinal = !isSetup && responseCode >= 500;
  const reply = oneLine(response ?? String(responseCode), failureLengthMax);
  return new SmtpFault(
    isSetup ? 'The mail server has refused this server.' : `The mail server has answered: ${reply}`,
    {
      isFinal,
      code: String(responseCode),
    },
  );
}
