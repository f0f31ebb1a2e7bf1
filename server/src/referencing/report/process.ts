import { printOnRequest } from '../../print/process.ts';
import type { ReportContents } from './contents.ts';
import { layOutReport } from './layout.ts';

/* The process that prints reports. */

printOnRequest<ReportContents>({
  layOut: layOutReport,
  countryOf: ({ applicant }) => applicant?.currentAddress?.country ?? null,
});
