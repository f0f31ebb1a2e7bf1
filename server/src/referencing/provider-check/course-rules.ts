import { ProviderFault } from '../../external-services/service.ts';
import type { Course, Kit } from './kit.ts';
import { errorFault } from './order-rules.ts';
import { Unjudged, type Rule } from './rule.ts';

/** The rules about a check from its order to its report. */
export const courseRules: readonly Rule[] = [
  {
    name: 'check.accept',
    says: 'ends the scenario `accept` with an acceptance',
    advice: 'Let the test environment play `accept` to the stage `DONE` with the decision `ACCEPT`, or raise --wait.',
    async judge(kit) {
      return verdictFault(kit, await kit.course('accept'), 'accept');
    },
  },
  {
    name: 'check.high-risk',
    says: 'ends the scenario `high_risk` with that decision',
    advice: 'Let the test environment play `high_risk` to the stage `DONE` with the decision `HIGH_RISK`.',
    async judge(kit) {
      return verdictFault(kit, await kit.course('high_risk'), 'high_risk');
    },
  },
  {
    name: 'check.no-early-decision',
    says: 'tells no decision before the end',
    advice: 'Let `decision` be null as long as the stage is not `DONE`.',
    async judge(kit) {
      const { earlyDecision } = await followed(kit, 'accept');
      return earlyDecision === null ? null : `A read told ${earlyDecision}.`;
    },
  },
  {
    name: 'check.kept',
    says: 'keeps an order and its decision after the end',
    advice: 'Answer a repeated order with the finished one. Answer a cancellation of it with 409, and change nothing.',
    async judge(kit) {
      const { order, orderId } = await finished(kit, 'accept');
      const again = await kit.submit(order);
      if (again.orderId !== orderId) return `The repeated order got the id ${again.orderId} instead of ${orderId}.`;
      await kit.cancel(orderId);
      const { progress } = await kit.read(orderId);
      return progress.outcome?.verdict === 'accept' ? null : `After a cancellation it is ${progress.status}.`;
    },
  },
  {
    name: 'report.early',
    says: 'has no report before the end',
    advice: 'Answer GET …/report with 409 and an error body until the stage is `DONE`.',
    async judge(kit) {
      const { orderId } = await kit.submit(kit.order('stuck'));
      const path = `/v1/reference-requests/${encodeURIComponent(orderId)}/report`;
      return errorFault(await kit.send({ method: 'GET', path }), [409]);
    },
  },
  {
    name: 'report',
    says: 'has a whole report as soon as the check is done',
    advice: 'Answer GET …/report with all members of Report, from the moment that a read says `DONE`.',
    async judge(kit) {
      const { orderId, last } = await finished(kit, 'high_risk');
      const { verdict } = await kit.fetchFindings(orderId);
      return verdict === last.outcome?.verdict
        ? null
        : `The report says ${verdict}, and the state ${last.outcome?.verdict}.`;
    },
  },
];

function verdictFault({ target }: Kit, { last }: Course, wanted: string): string | null {
  if (last.status !== 'done') return `After ${target.waitMs / 1000} seconds the check is ${last.status}.`;
  return last.outcome?.verdict === wanted ? null : `The decision is ${last.outcome?.words}.`;
}

/** Returns a check that was read until its end, or until the time was over. */
async function followed(kit: Kit, scenario: string): Promise<Course> {
  try {
    return await kit.course(scenario);
  } catch (error) {
    if (error instanceof ProviderFault) throw new Unjudged('A read of the check fails.', { cause: error });
    throw error;
  }
}

/**
 * Returns a check that has ended.
 *
 * @throws {Unjudged} if it has not; that is the fault of another rule.
 */
export async function finished(kit: Kit, scenario: string): Promise<Course> {
  const course = await followed(kit, scenario);
  if (course.last.status === 'done') return course;
  throw new Unjudged(`The check \`${scenario}\` does not end.`);
}
