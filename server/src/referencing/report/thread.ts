import { parentPort } from 'node:worker_threads';
import type { ReportContents } from './contents.ts';
import { loadFonts } from './fonts.ts';
import { layOutReport } from './layout.ts';

/** What a thread says about the contents it was given: the bytes, or why there are none. */
export type Printed = { bytes: Uint8Array<ArrayBuffer> } | { fault: string };

const port = parentPort!;
const fonts = loadFonts();

/** One report at a time, in the order they come. */
port.on('message', (contents: ReportContents) => {
  port.postMessage(printed(contents));
});

function printed(contents: ReportContents): Printed {
  try {
    return { bytes: new Uint8Array(layOutReport(contents, fonts)) };
  } catch (error) {
    return { fault: (error as Error).stack ?? String(error) };
  }
}
