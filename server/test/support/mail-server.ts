import { createServer, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { onTestFinished, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { waitMs } from './wait.ts';

/** An e-mail that the server has accepted. */
export interface ReceivedMail {
  from: string;
  to: string;
  /** The headers, unfolded, as they came: one line each. */
  headers: string[];
  /** The whole message, with its encodings. */
  raw: string;
  /** The plain text and the HTML, decoded. */
  text: string;
  html: string;
  /** The user that has signed in, or null. */
  user: string | null;
  isEncrypted: boolean;
}

/** A command of SMTP, and the end of a message. */
type Step = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'message';

/** A small mail server on loopback (RFC 5321). A test chooses its replies. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** Whole messages that the server has not accepted. */
  readonly refused: ReceivedMail[] = [];
  /** Replies in place of the usual ones, such as `RCPT: '550 5.1.1 Unknown'`. With `hang`, it never replies. With `break`, it closes the connection. With `drip`, it sends a byte at a time. */
  replies: Partial<Record<Step, string>> = {};
  /** Called before the reply to a whole message. */
  onMessage: (mail: ReceivedMail) => void = () => {};
  /** Connections until now, those that are open, and the most that were open at once. */
  connections = 0;
  open = 0;
  openMax = 0;
  /** The users and passwords of all sign-ins. */
  readonly signIns: string[] = [];
  readonly #secure: tls.SecureContextOptions | null;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  /** @param secure the certificate. With it, the server offers STARTTLS. */
  constructor(secure: tls.SecureContextOptions | null = null) {
    this.#secure = secure;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** Listens, after a stop on the same port. */
  async start(): Promise<this> {
    this.#server = createServer((socket) => this.#serve(socket));
    this.#port ||= await freePort();
    await new Promise<void>((resolve) => this.#server!.listen(this.#port, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /** Waits until the server has so many e-mails. */
  async has(count: number): Promise<ReceivedMail[]> {
    await vi.waitFor(() => {
      if (this.mails.length < count) throw new Error(`${this.mails.length} of ${count} e-mails have come.`);
    }, soon);
    return this.mails;
  }

  /** Waits until so many connections are open. */
  async connected(count: number): Promise<void> {
    await vi.waitFor(() => {
      if (this.open < count) throw new Error(`${this.open} of ${count} connections are open.`);
    }, soon);
  }

  #serve(plain: Socket): void {
    this.connections++;
    this.openMax = Math.max(this.openMax, ++this.open);
    this.#sockets.add(plain);
    plain.on('close', () => {
      this.open--;
      this.#sockets.delete(plain);
    });
    this.#talk(plain, false);
    this.#reply(plain, 'greeting', '220 mail.example.com ESMTP');
  }

  #talk(socket: Socket, isEncrypted: boolean): void {
    socket.on('error', () => {});
    let buffered = '';
    let mail = { from: '', to: '' };
    let user: string | null = null;
    let isMessage = false;
    const read = (data: Buffer): void => {
      buffered += data.toString('latin1');
      for (;;) {
        if (isMessage) {
          const end = buffered.indexOf('\r\n.\r\n');
          if (end === -1) return;
          const raw = buffered.slice(0, end).replaceAll('\r\n..', '\r\n.');
          buffered = buffered.slice(end + 5);
          isMessage = false;
          const received = { ...mail, ...parts(raw), raw, user, isEncrypted };
          (this.replies.message === undefined ? this.mails : this.refused).push(received);
          this.onMessage(received);
          this.#reply(socket, 'message', '250 2.0.0 Queued');
          continue;
        }
        const end = buffered.indexOf('\r\n');
        if (end === -1) return;
        const line = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        const verb = line.split(' ')[0]!.toUpperCase();
        if (verb === 'EHLO') {
          const offers = this.#secure && !isEncrypted ? ['STARTTLS'] : [];
          const lines = ['mail.example.com', ...offers, 'AUTH PLAIN', 'SMTPUTF8', '8BITMIME'];
          this.#reply(
            socket,
            'EHLO',
            lines.map((each, at) => `250${at < lines.length - 1 ? '-' : ' '}${each}`).join('\r\n'),
          );
        } else if (verb === 'STARTTLS' && this.#secure) {
          socket.off('data', read);
          socket.write('220 2.0.0 Ready\r\n');
          this.#talk(new tls.TLSSocket(socket, { isServer: true, ...this.#secure }), true);
          return;
        } else if (verb === 'AUTH') {
          const [, name = '', password = ''] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
            .toString()
            .split('\0');
          this.signIns.push(`${name}:${password}`);
          user = name;
          this.#reply(socket, 'AUTH', '235 2.7.0 Welcome');
        } else if (verb === 'MAIL') {
          mail = { from: addressIn(line), to: '' };
          this.#reply(socket, 'MAIL', '250 2.1.0 OK');
        } else if (verb === 'RCPT') {
          mail.to = addressIn(line);
          this.#reply(socket, 'RCPT', '250 2.1.5 OK');
        } else if (verb === 'DATA') {
          isMessage = this.replies.DATA === undefined;
          this.#reply(socket, 'DATA', '354 Go on');
        } else if (verb === 'QUIT') {
          socket.end('221 2.0.0 Bye\r\n');
        } else {
          socket.write('250 2.0.0 OK\r\n');
        }
      }
    };
    socket.on('data', read);
  }

  #reply(socket: Socket, step: Step, usual: string): void {
    const reply = this.replies[step] ?? usual;
    if (reply === 'break') socket.destroy();
    else if (reply === 'drip') this.#drip(socket);
    else if (reply !== 'hang') socket.write(`${reply}\r\n`);
  }

  /** Sends a reply without an end, a byte in 50 ms. */
  #drip(socket: Socket): void {
    const timer = setInterval(() => socket.write('2'), 50);
    socket.once('close', () => clearInterval(timer));
  }
}

/** Milliseconds that a test waits for what must happen soon. */
const soon = { timeout: waitMs, interval: 100 };

/** Starts a mail server for one test. */
export async function mailServerForTest(secure: tls.SecureContextOptions | null = null): Promise<MailServer> {
  const server = await new MailServer(secure).start();
  onTestFinished(() => server.stop());
  return server;
}

function addressIn(line: string): string {
  return Buffer.from(/<([^>]*)>/.exec(line)?.[1] ?? '', 'latin1').toString();
}

/** Reads the headers and the two parts of a message (RFC 2045). */
function parts(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const boundary = /boundary="?([^";\r\n]+)/.exec(head)?.[1];
  const pieces = boundary === undefined ? [raw] : rest.join('\r\n\r\n').split(`--${boundary}`);
  const partOf = (type: string): string => {
    const piece = pieces.find((each) => each.includes(`Content-Type: ${type}`)) ?? '';
    const [partHead = '', ...body] = piece.split('\r\n\r\n');
    const content = body.join('\r\n\r\n').trimEnd();
    if (/base64/i.test(partHead)) return Buffer.from(content, 'base64').toString();
    if (/quoted-printable/i.test(partHead))
      return Buffer.from(
        content
          .replaceAll('=\r\n', '')
          .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ).toString();
    return content;
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}
