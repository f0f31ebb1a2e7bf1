import { moduleFile } from '../../core/installation.ts';
import { Printer, type PrinterOptions } from '../../print/printer.ts';
import type { ReportContents } from './contents.ts';

export type { ReportContents } from './contents.ts';
export { PrinterBusyError } from '../../print/printer.ts';

/**
 * Makes a printer of reports. Its process starts with the first report.
 *
 * @param options other limits, or another process, for a test.
 */
export function reportPrinter(options: Partial<PrinterOptions> = {}): Printer<ReportContents> {
  return new Printer({ processFile: moduleFile('./process', import.meta.url), ...options });
}
