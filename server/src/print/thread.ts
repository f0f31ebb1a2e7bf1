import { parentPort } from 'node:worker_threads';
import { loadMainFonts, withScriptFonts, type Fonts } from './fonts.ts';

/** The reply of a thread: the bytes, or why there are none. */
export type Printed = { bytes: Uint8Array<ArrayBuffer> } | { fault: string };

/** The documents that a thread prints. */
interface Layout<Contents> {
  /** Returns the document as a PDF. The same contents must give the same bytes. */
  layOut: (contents: Contents, fonts: Fonts) => Buffer;
  /** Returns the country of the readers, which decides the form of Han characters. */
  countryOf: (contents: Contents) => string | null;
}

/** Prints the documents that the printer sends to this thread. It sends the next one after the reply. */
export function printOnRequest<Contents>({ layOut, countryOf }: Layout<Contents>): void {
  const port = parentPort!;
  const mainFonts = loadMainFonts();
  const print = async (contents: Contents): Promise<Printed> => {
    try {
      const fonts = await withScriptFonts(mainFonts, JSON.stringify(contents), countryOf(contents));
      return { bytes: new Uint8Array(layOut(contents, fonts)) };
    } catch (error) {
      return { fault: (error as Error).stack ?? String(error) };
    }
  };
  port.on('message', (contents: Contents) => {
    void print(contents).then((answer) => port.postMessage(answer));
  });
}
