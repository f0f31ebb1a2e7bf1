import type { Gateway } from '../../core/vocabulary/gateways.ts';
import type { PaymentGateway } from './gateway.ts';
import { simulator } from './simulator.ts';

/** The adapters of the payment gateways. A new one needs a file, its name in `core/vocabulary/gateways.ts` and a line here. */
export const paymentGateways: Readonly<Record<Gateway, PaymentGateway>> = { simulator };
