import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { ByteBudget } from '../../src/core/limits/byte-budget.ts';
import { BodyBytes, bodyLimits, unreadLimits } from '../../src/http/body/body-bytes.ts';

const megabyte = 1024 * 1024;
const budgets = { arriving: new ByteBudget(bodyLimits), unread: new ByteBudget(unreadLimits) };

/** Begins a request with a small body, of an account of one tree. */
function begin(accountId: string): { bytes: BodyBytes; close(): void } {
  const raw = new EventEmitter();
  const request = { raw: { headers: { 'content-length': '100' } } } as unknown as FastifyRequest;
  const bytes = new BodyBytes(budgets, { accountId, rootId: 'acct_root' }, request, { raw } as FastifyReply);
  return { bytes, close: () => void raw.emit('close') };
}

test('refuses only the account whose clients have not read its large responses, until they have', () => {
  const unread = Array.from({ length: 60 }, () => {
    const one = begin('acct_silent');
    one.bytes.workBegins();
    return one;
  });
  for (const { bytes } of unread) bytes.workEnds(megabyte);
  expect(() => begin('acct_silent')).toThrow('has not read 4 MB of responses');
  begin('acct_other').close();
  for (const { close } of unread) close();
  begin('acct_silent').close();
  expect([budgets.arriving.held, budgets.unread.held]).toEqual([0, 0]);
});
