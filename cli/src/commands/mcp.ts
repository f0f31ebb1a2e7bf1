import { createInterface } from 'node:readline';
import { CliError } from '../errors.ts';
import { safeText } from '../output/text.ts';
import { Terminal } from '../output/terminal.ts';
import { localUrl, readSettings, type Settings } from '../settings/settings.ts';
import { version } from '../version.ts';
import type { McpFlags } from './definitions.ts';

/** The codes of JSON-RPC 2.0 for a message that no server has answered. */
const codes = { unreadable: -32_700, invalid: -32_600, failed: -32_603 };

/** The revision of a message that names its own (MCP 2026-07-28). */
const revisionMember = 'io.modelcontextprotocol/protocolVersion';

/** The members that proxies in front of a server read from a header, by the method. */
const nameMembers: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

type MessageId = string | number;

interface Message {
  jsonrpc?: unknown;
  id?: MessageId;
  method?: unknown;
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> };
}

/**
 * Serves MCP on standard input and output: each message goes to `/mcp` of the server, and its response comes back. So the tools are those of
 * the server, with the permissions of the key. Ends when standard input ends.
 */
export async function runMcp(flags: McpFlags): Promise<void> {
  const terminal = new Terminal();
  const bridge = new Bridge(readSettings(flags, terminal.env), flags, terminal);
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  const answers = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    // A client may send several messages at once, and cancel one of them.
    const answering = bridge.answer(line).finally(() => answers.delete(answering));
    answers.add(answering);
  }
  await Promise.all(answers);
}

class Bridge {
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #terminal: Terminal;
  readonly #open = new Map<MessageId, AbortController>();
  /** The revision of a client of 2025, from the response to its first message. */
  #revision: string | null = null;
  #hasComplained = false;

  constructor(settings: Settings, flags: McpFlags, terminal: Terminal) {
    const { apiKey, baseUrl, account, apiVersion, isLive } = settings;
    if (baseUrl === undefined && isLive)
      throw new CliError('A live key needs the address of its server. Pass --base-url, or set TENURE_BASE_URL.');
    this.#url = addressOf(baseUrl ?? localUrl);
    if (flags.readOnly) this.#url.searchParams.set('read_only', 'true');
    if (flags.tools !== undefined) this.#url.searchParams.set('tools', flags.tools);
    this.#terminal = terminal;
    this.#headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': `tenure-cli/${version}`,
      ...(account !== undefined && { 'service-context': account }),
      ...(apiVersion !== undefined && { 'service-version': apiVersion }),
    };
  }

  /** Answers one line. It never fails: a client waits for each response. */
  async answer(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return write({
        jsonrpc: '2.0',
        id: null,
        error: { code: codes.unreadable, message: 'The line is not valid JSON.' },
      });
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      return write({
        jsonrpc: '2.0',
        id: null,
        error: { code: codes.invalid, message: 'A line must be one message.' },
      });
    const { id, method, params } = message;
    if (method === 'notifications/cancelled') this.#open.get(params?.requestId as MessageId)?.abort();
    const canceled = new AbortController();
    if (id !== undefined) this.#open.set(id, canceled);
    try {
      const response = await this.#send(line, message, canceled.signal);
      if (id === undefined) return;
      if (method === 'initialize') this.#revision = revisionOf(response);
      write(response);
    } catch (error) {
      // A canceled message gets no response.
      if (canceled.signal.aborted || id === undefined) return;
      const text = this.#complain(`The server ${this.#url.origin} cannot be reached: ${causeOf(error)}`);
      write({ jsonrpc: '2.0', id, error: { code: codes.failed, message: text } });
    } finally {
      if (id !== undefined) this.#open.delete(id);
    }
  }

  async #send(line: string, message: Message, signal: AbortSignal): Promise<object> {
    const response = await fetch(this.#url, {
      method: 'POST',
      // The key must not follow to another server.
      redirect: 'error',
      headers: { ...this.#headers, ...headersOf(message, this.#revision) },
      body: line,
      signal,
    });
    const answer = parsed(await response.text()) as { jsonrpc?: string; error?: { message?: string } } | null;
    if (answer?.jsonrpc === '2.0') return answer;
    // Refused before it reached a tool, such as for its key.
    const reason = answer?.error?.message ?? `The server answered with status ${response.status}.`;
    if (response.status >= 400) this.#complain(reason);
    return {
      jsonrpc: '2.0',
      id: message.id ?? null,
      error: { code: codes.failed, message: reason, ...(answer?.error && { data: answer }) },
    };
  }

  /** Tells the person, too, because many clients show only that the server failed. Says it once. */
  #complain(text: string): string {
    if (!this.#hasComplained) this.#terminal.say(safeText(text));
    this.#hasComplained = true;
    return text;
  }
}

function addressOf(baseUrl: string): URL {
  if (!URL.canParse(baseUrl)) throw new CliError(`"${baseUrl}" is no address. Send one such as ${localUrl}.`);
  return new URL(`${baseUrl.replace(/\/+$/, '')}/mcp`);
}

/** Returns the headers that repeat parts of a message (MCP, Streamable HTTP). */
function headersOf({ method, params }: Message, revision: string | null): Record<string, string> {
  const { _meta: meta } = params ?? {};
  const own = meta?.[revisionMember];
  if (typeof own !== 'string') return revision === null ? {} : { 'mcp-protocol-version': revision };
  const named = params?.[nameMembers[String(method)] ?? ''];
  return {
    'mcp-protocol-version': headerText(own),
    'mcp-method': headerText(String(method)),
    ...(typeof named === 'string' && { 'mcp-name': headerText(named) }),
  };
}

/** Returns a text that a header can have. Others are encoded, as the protocol says. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function revisionOf(response: object): string | null {
  const { result } = response as { result?: { protocolVersion?: unknown } };
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

/** Writes a message as one line. JSON escapes line breaks. */
function write(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
