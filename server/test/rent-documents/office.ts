import { pagesOf } from '../support/pdf.ts';
import { allPermissions } from '../support/permissions.ts';
import { good, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { Agency, type Made } from '../letting/agency.ts';

export const letterhead = {
  name: 'Northern Homes Ltd',
  address: { line1: '4 Stonegate', city: 'York', postal_code: 'YO1 8AS', country: 'GB' },
  email: 'rent@northern.example',
  phone: '+44 1904 555 0100',
  registration: 'Registered in England, no. 01234567',
  bank: {
    account_name: 'Northern Homes Client Account',
    sort_code: '20-00-00',
    account_number: '55779911',
    iban: 'GB33 BUKB 2020 1555 5555 55',
    bic: 'bukbgb22',
  },
};

/** Returns the pages as one text, with white space collapsed. */
export function textIn(pdf: Buffer): string {
  return pagesOf(pdf).join(' ').replace(/\s+/g, ' ');
}

/** An agency with a tenancy, and the documents that it downloads. */
export class Office {
  readonly agency: Agency;
  readonly tenancy: Made;
  readonly #url: string;
  readonly #key: string;

  constructor(agency: Agency, tenancy: Made, url: string, key: string) {
    this.agency = agency;
    this.tenancy = tenancy;
    this.#url = url;
    this.#key = key;
  }

  /** Lets Flat 2, which Ada rents by default. No law judges the account, so that any currency and line can be tested. */
  static async on(server: TestServer, more: object = {}, customers: readonly object[] = [{ name: 'Ada Lovelace' }]) {
    const agency = await Agency.on(server);
    const { key } = await addKey(server, agency.accountId, { permissions: allPermissions });
    await good(agency.api.post('/v1/account', { name: 'Northern', rules: { ruleset: 'none' }, letterhead }));
    const people = [];
    for (const customer of customers) people.push((await agency.make('customers', customer)).id);
    const { id: unit } = await agency.unit();
    const tenancy = await agency.signed(unit, { ...(people.length > 0 && { customers: people }), ...more });
    return new Office(agency, tenancy, server.url, key);
  }

  invoice(more: object = {}): Promise<Made> {
    const lines = [{ type: 'rent', description: 'Rent, February 2027', amount: 95_000 }];
    return this.agency.make('invoices', {
      tenancy: this.tenancy.id,
      lines,
      due_on: '2027-02-01',
      finalize: true,
      ...more,
    });
  }

  pay(amount: number, more: object = {}): Promise<Made> {
    return this.agency.make('payments', { tenancy: this.tenancy.id, amount, method: 'standing_order', ...more });
  }

  /** Sends a request whose response is no JSON. */
  fetch(
    path: string,
    { method = 'GET', key = this.#key, signal = null as AbortSignal | null } = {},
  ): Promise<Response> {
    return fetch(this.#url + path, { method, headers: { authorization: `Bearer ${key}` }, signal });
  }

  async pdfOf(path: string): Promise<Buffer> {
    const response = await this.fetch(path);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${bytes.toString()}`);
    return bytes;
  }

  invoicePdf({ id }: Made): Promise<Buffer> {
    return this.pdfOf(`/v1/invoices/${id}/pdf`);
  }

  statementPdf(query = ''): Promise<Buffer> {
    return this.pdfOf(`/v1/tenancies/${this.tenancy.id}/statement?format=pdf${query}`);
  }
}
