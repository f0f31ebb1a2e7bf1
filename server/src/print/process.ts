import { loadMainFonts, withScriptFonts, type Fonts } from './fonts.ts';

/** The reply of the process: the bytes, or why there are none. */
export type Printed = { bytes: Buffer } | { fault: string };

/** The documents that a process prints. */
interface Layout<Contents> {
  /** Returns the document as a PDF. The same contents must give the same bytes. */
  layOut: (contents: Contents, fonts: Fonts) => Buffer;
  /** Returns the country of the readers, which decides the form of Han characters. */
  countryOf: (contents: Contents) => string | null;
}

/** Prints the documents that the printer sends to this process. It sends the next one after the reply. */
export function printOnRequest<Contents>({ layOut, countryOf }: Layout<Contents>): void {
  const mainFonts = loadMainFonts();
  const print = async (contents: Contents): Promise<Printed> => {
    try {
      const fonts = await withScriptFonts(mainFonts, JSON.stringify(contents), countryOf(contents));
      return { bytes: layOut(contents, fonts) };
    } catch (error) {
      return { fault: (error as Error).stack ?? String(error) };
    }
  };
  process.on('message', (contents: Contents) => {
    void print(contents).then((printed) => process.send!(printed));
  });
  // Without the server there is no more work.
  process.on('disconnect', () => process.exit());
}
