import { checkedKinds } from '../model/check-kinds.ts';
import type { Resource } from '../model/resource.ts';
import { account } from './account/index.ts';
import { apiKey } from './api_key.ts';
import { approvalRequest } from './workflows/approval-request.ts';
import { customer } from './customer.ts';
import { application } from './letting/application/index.ts';
import { building } from './letting/building.ts';
import { deposit } from './letting/deposit/index.ts';
import { guarantor } from './letting/guarantor.ts';
import { tenancy } from './letting/tenancy/index.ts';
import { unit } from './letting/unit.ts';
import { invoice } from './letting/invoice/index.ts';
import { ledgerEntry } from './letting/ledger-entry.ts';
import { subscription } from './letting/subscription/index.ts';
import { payment } from './letting/payment/index.ts';
import { paymentImport } from './letting/payment-import.ts';
import { bankLine } from './letting/bank-line/index.ts';
import { event } from './event.ts';
import { file } from './file/index.ts';
import { fileLink } from './file/link.ts';
import { log } from './log.ts';
import { portalSession } from './portal-session.ts';
import { reference } from './reference/index.ts';
import { retentionHold } from './retention-hold.ts';
import { invitation } from './people/invitation.ts';
import { user } from './people/user.ts';
import { workflow } from './workflows/workflow.ts';
import { workflowRun } from './workflows/run.ts';
import { webhookDelivery } from './webhooks/delivery.ts';
import { recovery } from './webhooks/recovery.ts';
import { webhookEndpoint } from './webhooks/webhook_endpoint.ts';

/** The kinds of record in the API. A line here gives a kind its routes, permissions and event types. */
export const resources: readonly Resource[] = checkedKinds([
  reference,
  application,
  guarantor,
  building,
  unit,
  tenancy,
  deposit,
  subscription,
  invoice,
  payment,
  paymentImport,
  bankLine,
  ledgerEntry,
  customer,
  retentionHold,
  file,
  fileLink,
  portalSession,
  event,
  log,
  webhookEndpoint,
  webhookDelivery,
  recovery,
  workflow,
  workflowRun,
  account,
  apiKey,
  approvalRequest,
  user,
  invitation,
]);
