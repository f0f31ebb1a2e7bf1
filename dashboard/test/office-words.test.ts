import { assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { reasonSentences } from '../../server/src/resources/letting/application/fields.ts';
import { reasons } from '../src/office/reasons.ts';
import { sentenceOf } from '../src/office/event-sentences.ts';
import { depositState, receivedText } from '../src/office/letting-words.ts';
import { momentText, money, reportName, shareOf } from '../src/office/words.ts';

/* The words of the office that need no browser. */

test('gives each reason of a refusal the sentence of the API docs', () => {
  expect(reasons).toEqual(reasonSentences);
});

test.each([
  [129_500, 'gbp', '£1,295'],
  [129_550, 'gbp', '£1,295.50'],
  [-250, 'gbp', '-£2.50'],
  [1_295, 'jpy', 'JP¥1,295'],
])('writes %i of %s as %s', (amount, currency, text) => {
  expect(money({ amount, currency })).toBe(text);
});

test.each([
  [[], 'Received'],
  [['Due soon. Protect the deposit by 2027-02-02.'], 'Duty due soon'],
  [['Due soon. Protect the deposit by 2027-02-02.', 'Missed. Release the deposit by 2027-01-02.'], 'Duty missed'],
  [['The deposit is above five weeks’ rent.'], 'Duty missed'],
])('names the state of a deposit with the duties %j', (messages, name) => {
  const checks = messages.map((message) => ({ id: 'deposit_protection', message, since: 1_799_582_400 }));
  expect(depositState({ status: 'received', checks }).name).toBe(name);
});

test('gives all applicants shares that differ from the rent by less than a penny each', () => {
  assert(
    property(integer({ min: 0, max: 10_000_000 }), integer({ min: 1, max: 8 }), (amount, count) => {
      const rent = { amount, currency: 'gbp', interval: 'month' as const };
      const share = shareOf({ rent, customers: Array.from({ length: count }, () => 'cus_1') })!;
      expect(Math.abs(share.amount * count - amount)).toBeLessThan(count);
    }),
  );
});

test('names a report by person and home, without what no system allows in names of files', () => {
  const person = { object: 'customer', name: 'Ada Lovelace / Byron' } as never;
  expect(reportName(person, { name: 'Flat 12: "top"' } as never)).toBe('Byron - Flat 12 top - reference.pdf');
  expect(reportName(person, null)).toBe('Byron - reference.pdf');
});

test.each([
  ['Europe/London', '25 November 2026, 17:57', '25 Nov 2026, 17:57'],
  ['Pacific/Auckland', '26 November 2026, 06:57', '26 Nov 2026, 06:57'],
])('writes a moment day-first when the zone is %s', (zone, long, short) => {
  const at = Date.UTC(2026, 10, 25, 17, 57, 59) / 1000;
  expect([momentText(at, zone), momentText(at, zone, 'medium')]).toEqual([long, short]);
});

const byHand = { automatic_reference: null };
const byService = { automatic_reference: { enabled: true, status: 'queued' } };

test.each([
  ['reference.created', byHand, null, 'ordered a check by hand.'],
  ['reference.created', byService, null, 'ordered a check by a referencing service.'],
  ['reference.updated', { ...byHand, status: 'processing' }, { status: 'pending' }, 'began the check by hand.'],
  [
    'reference.updated',
    { ...byHand, reference_pdf: 'file_1' },
    { reference_pdf: null },
    'attached a report to the check.',
  ],
  [
    'reference.updated',
    { ...byHand, outcome: 'accept' },
    { decision: { reason: null } },
    'confirmed the outcome “Accept”.',
  ],
  ['invoice.finalized', { number: 'INV-000001' }, { status: 'draft' }, 'issued the bill INV-000001.'],
  ['payment.succeeded', { amount: 98_500, currency: 'gbp' }, { status: 'pending' }, 'noted a payment of £985.'],
  ['payment.created', { status: 'pending', amount: 98_500 }, null, 'asked for a payment of £985.'],
  ['payment.created', { status: 'succeeded', amount: 98_500 }, null, null],
  [
    'payment.refunded',
    { amount: 20_000, refunds: [{ amount: 500 }, { amount: 1_000 }] },
    null,
    'returned £10 of a payment of £200.',
  ],
  ['payment.refunded', { amount: 20_000, refunds: [{ amount: 20_000 }] }, null, 'returned a payment of £200.'],
  ['payment.updated', { status: 'succeeded' }, { metadata: {} }, null],
  ['file_link.created', { recipient: 'Mr Okafor' }, null, 'made a link to the report for Mr Okafor.'],
  ['file_link.revoked', { recipient: null, recipient_email: null }, null, 'ended the link to the report.'],
  ['file_link.updated', { open_count: 1 }, { open_count: 0 }, null],
  [
    'reference.updated',
    { automatic_reference: { enabled: true, status: 'invited', last_error: 'invite_bounced: The invitation …' } },
    { automatic_reference: { last_error: null } },
    'learned of an obstacle: invitation bounced.',
  ],
])('tells %s of %j after %j', (type, object, previous, text) => {
  const actor = { type: 'user', id: 'usr_1', name: 'Ada' };
  const event = { type, data: { object, previous_attributes: previous }, request: { actor } };
  expect(sentenceOf(event as never)).toBe(text === null ? null : `Ada ${text}`);
});

test.each([
  ['succeeded', '2026-11-20', '20 November 2026'],
  ['pending', null, 'Not yet'],
  ['canceled', null, 'Never'],
])('says when a payment came that is %s on the day %s', (status, day, text) => {
  expect(receivedText({ status, received_on: day } as never)).toBe(text);
});

test('names a member instead of the address when the name is known', () => {
  const actor = { type: 'user', id: 'usr_1', name: 'ada@example.com' };
  const data = { object: {}, previous_attributes: null };
  const event = { type: 'customer.created', data, request: { actor } } as never;
  expect(sentenceOf(event, new Map([['ada@example.com', 'Ada Lovelace']]))).toBe('Ada Lovelace added this person.');
  expect(sentenceOf(event)).toBe('ada@example.com added this person.');
});

test('names a person in the portal instead of Tenure when a renter has made the change', () => {
  const data = { object: {}, previous_attributes: { phone: null } };
  const request = { actor: null, customer_portal: true };
  expect(sentenceOf({ type: 'customer.updated', data, request } as never)).toBe(
    'A person in the portal changed phone.',
  );
  expect(sentenceOf({ type: 'customer.updated', data, request: { ...request, customer_portal: false } } as never)).toBe(
    'Tenure changed phone.',
  );
});

test('names no actor of Tenure when a person opens a report by a link', () => {
  const data = { object: { recipient: 'Mr Okafor' }, previous_attributes: null };
  const event = { type: 'file_link.opened', data, request: { actor: { type: 'system', id: null, name: null } } };
  expect(sentenceOf(event as never)).toBe('The report was opened by the link for Mr Okafor.');
});
