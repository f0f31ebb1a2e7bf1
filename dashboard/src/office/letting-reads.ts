import type { Invoice, Payment, Subscription, Tenancy } from 'tenure';
import { defineRead } from '../api/requests.ts';

/* What several pages about lets read. */

/** The links of a tenancy that lists show. */
export const inTenancy = ['data.customers', 'data.unit.building'];

/** The most tenancies or bills of a part of a page. */
const partMax = 24;

/** The tenancies of a home or of a person, the newest first. */
export const tenanciesRead = defineRead<Tenancy[], { unit?: string; customer?: string }>(
  async (tenure, filter, options) => {
    const { data } = await tenure.tenancies.list({ ...filter, limit: partMax, expand: inTenancy }, options);
    return data;
  },
);

/** The bills of a tenancy or of a regular charge, the newest first. */
export const billsRead = defineRead<Invoice[], { tenancy?: string; subscription?: string }>(
  async (tenure, filter, options) => {
    const { data } = await tenure.invoices.list({ ...filter, limit: partMax }, options);
    return data;
  },
);

/** The payments for a tenancy, the newest first. */
export const paymentsRead = defineRead<Payment[], { tenancy: string }>(async (tenure, filter, options) => {
  const { data } = await tenure.payments.list({ ...filter, limit: partMax, expand: ['data.customer'] }, options);
  return data;
});

/** The regular charges of a tenancy, the newest first. */
export const chargesRead = defineRead<Subscription[], { tenancy: string }>(async (tenure, filter, options) => {
  const { data } = await tenure.subscriptions.list({ ...filter, limit: partMax }, options);
  return data;
});
