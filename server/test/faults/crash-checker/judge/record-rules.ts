import { isStored } from '../history.ts';
import { parseObject, textOf } from '../json.ts';
import type { ObservedList } from '../observe.ts';
import { describe } from './answer-rules.ts';
import type { Case } from './case.ts';
import type { Report } from './evidence.ts';

/** Judges the records: each confirmed one exists once, and each has a request that made it. */
export function judgeRecords(opened: Case, report: Report): void {
  const { references, customers, events, deliveries } = opened.observation;
  for (const list of [references, customers]) judgeUniqueness(list, report);
  for (const list of [references, customers, events, ...deliveries]) judgeCounts(list, report);
  judgePresence(opened, report);
  judgeOrigin(opened, report);
}

function judgeUniqueness({ items, path }: ObservedList, report: Report): void {
  const seen = new Set<string>();
  for (const item of items) {
    const id = textOf(item, 'id');
    if (seen.has(id)) report('duplicated_record', id, `${path} lists ${id} more than once.`);
    seen.add(id);
  }
}

function judgeCounts({ path, items, counts, filteredCounts }: ObservedList, report: Report): void {
  const wrong: string[] = [];
  if (counts.length !== 1 || counts[0] !== items.length) {
    wrong.push(`it has ${items.length} records, but its pages count ${counts.join(' and ')}`);
  }
  for (const { field, value, count } of filteredCounts) {
    const matches = items.filter((item) => item[field] === value).length;
    if (matches !== count) wrong.push(`${matches} have ${field} ${value}, but the filtered list counts ${count}`);
  }
  if (wrong.length > 0) report('wrong_count', path, `${path}: ${wrong.join('; ')}.`);
}

function judgePresence({ operations, observation, earlier, chains }: Case, report: Report): void {
  const { references, customers } = observation;
  const present = new Set([...references.items, ...customers.items].map((item) => textOf(item, 'id')));
  for (const operation of operations) {
    if (operation.kind !== 'create_reference' && operation.kind !== 'create_customer') continue;
    for (const { result } of operation.calls) {
      if (!isStored(result) || result.status !== 200) continue;
      const id = textOf(parseObject(result.text) ?? {}, 'id');
      if (!present.has(id))
        report('lost_record', id, `${describe(operation)} got ${id} in its response, but the record is missing.`);
    }
  }
  for (const item of earlier ? [...earlier.references.items, ...earlier.customers.items] : []) {
    const id = textOf(item, 'id');
    if (!present.has(id)) report('lost_record', id, `${id} was listed earlier, but not now.`);
  }
  for (const { recordId, record } of chains.values()) {
    if (!record) report('lost_record', recordId, `There are events of ${recordId}, but no record.`);
  }
}

/** Expects a request for each record, and one record for each request. */
function judgeOrigin({ chains, ownerOf, operationById }: Case, report: Report): void {
  const madeBy = new Map<string, string>();
  // Oldest first, so that the later one counts as the duplicate.
  for (const { recordId, record, changes } of [...chains.values()].reverse()) {
    const created = changes[0];
    const owner = created && ownerOf(created);
    const maker =
      owner?.kind === 'operation' ? owner.operation : operationById.get(textOf(record ?? {}, 'metadata', 'made_by'));
    if (!maker) {
      report('unasked_record', recordId, `No client asked for ${recordId}.`);
      continue;
    }
    const other = madeBy.get(maker.id);
    if (other !== undefined) {
      report('duplicated_record', recordId, `${describe(maker)} made two records: ${other} and ${recordId}.`);
    }
    madeBy.set(maker.id, recordId);
  }
}
