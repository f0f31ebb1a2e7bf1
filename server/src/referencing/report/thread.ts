import { parentPort } from 'node:worker_threads';
import type { ReportContents } from './contents.ts';
import { loadMainFonts, withScriptFonts } from './fonts.ts';
import { layOutReport } from './layout.ts';

/** The reply of a thread: the bytes, or why there are none. */
export type Printed = { bytes: Uint8Array<ArrayBuffer> } | { fault: string };

const port = parentPort!;
const mainFonts = loadMainFonts();

/** Prints one report at a time: the printer sends the next one after the reply. */
port.on('message', (contents: ReportContents) => {
  void printed(contents).then((answer) => port.postMessage(answer));
});

async function printed(contents: ReportContents): Promise<Printed> {
  try {
    const country = contents.applicant?.currentAddress?.country ?? null;
    const fonts = await withScriptFonts(mainFonts, JSON.stringify(contents), country);
    return { bytes: new Uint8Array(layOutReport(contents, fonts)) };
  } catch (error) {
    return { fault: (error as Error).stack ?? String(error) };
  }
}
