import { printOnRequest } from '../print/process.ts';
import type { DocumentContents } from './contents.ts';
import { layOutInvoice } from './invoice.ts';
import { layOutStatement } from './statement.ts';

/* The process that prints invoices and statements. */

printOnRequest<DocumentContents>({
  layOut: (contents, fonts) =>
    contents.kind === 'invoice' ? layOutInvoice(contents, fonts) : layOutStatement(contents, fonts),
  countryOf: ({ home }) => home?.address.country ?? null,
});
