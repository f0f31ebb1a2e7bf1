import { printOnRequest } from '../../print/thread.ts';
import type { ReportContents } from './contents.ts';
import { layOutReport } from './layout.ts';

/* The thread that prints reports. */

printOnRequest<ReportContents>({
  layOut: layOutReport,
  countryOf: ({ applicant }) => applicant?.currentAddress?.country ?? null,
});
