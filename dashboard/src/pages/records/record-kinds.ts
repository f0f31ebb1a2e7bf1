import type { RequestOptions, Tenure } from 'tenure';
import type { PrefixWithoutPage } from '../../shell/navigation.ts';

interface RecordKind {
  /** What the record is, such as "Reference". */
  noun: string;
  load: (tenure: Tenure, id: string, options: RequestOptions) => PromiseLike<object>;
}

/** The kinds of records without a page of their own, by the prefixes of their ids. */
export const recordKinds: Readonly<Record<PrefixWithoutPage, RecordKind>> = {
  bln: { noun: 'Bank line', load: (tenure, id, options) => tenure.bankLines.retrieve(id, {}, options) },
  fln: { noun: 'Link to a file', load: (tenure, id, options) => tenure.fileLinks.retrieve(id, {}, options) },
  gua: { noun: 'Guarantor', load: (tenure, id, options) => tenure.guarantors.retrieve(id, {}, options) },
  hold: {
    noun: 'Retention hold',
    load: (tenure, id, options) => tenure.retentionHolds.retrieve(id, {}, options),
  },
  pim: { noun: 'Payment import', load: (tenure, id, options) => tenure.paymentImports.retrieve(id, {}, options) },
  psn: { noun: 'Portal session', load: (tenure, id, options) => tenure.portalSessions.retrieve(id, {}, options) },
};
