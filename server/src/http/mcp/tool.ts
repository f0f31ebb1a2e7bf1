import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../core/json-diff.ts';
import type { BodyBudgets } from '../body/body-bytes.ts';
import type { HttpContext } from '../context.ts';
import type { Guide } from '../docs/guides.ts';
import type { AuthenticatedRequest } from '../request.ts';
import type { Route } from '../route.ts';

/** The parts of the server that MCP needs. */
export interface McpParts {
  routes: readonly Route[];
  guides: () => Promise<Guide[]>;
  bodies: BodyBudgets;
  /** Finds the principal of a request, its version, and room for it. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<AuthenticatedRequest>;
}

/** The server, as MCP uses it. */
export interface McpServerParts {
  app: FastifyInstance;
  context: HttpContext;
  parts: McpParts;
}

/** What a connection leaves out of the tools that its key may use. */
export interface Narrowing {
  isReadOnly: boolean;
  /** Names of tools, or of kinds of record such as `references`. Null if all are wanted. */
  names: ReadonlySet<string> | null;
}

/** One message, with everything that its tools need. */
export interface McpCall extends McpServerParts {
  known: AuthenticatedRequest;
  narrowing: Narrowing;
  reply: FastifyReply;
}

/** The result of a tool. */
export interface ToolAnswer {
  object: JsonObject;
  /** Facts about the request that was made, for programs. */
  meta?: Record<string, string | boolean>;
}

/** A tool, as a client sees it. */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  /** A client may ask its user before a tool that changes something. Without `openWorldHint`, a tool reaches other parties. */
  annotations: { readOnlyHint: true; openWorldHint: false } | { readOnlyHint: false; destructiveHint: boolean };
}

/** A tool for one version of the API. */
export interface Tool {
  name: string;
  isWrite: boolean;
  /** The kinds of record that it is about. A connection can be narrowed to some. */
  kinds: readonly string[];
  /** Returns the description for the key of this call. Returns null if the key cannot use the tool. */
  describe(call: McpCall): ToolDescription | null;
  /** @throws {ApiError} or `RefusedError`. */
  run(call: McpCall, input: JsonObject): Promise<ToolAnswer>;
}
