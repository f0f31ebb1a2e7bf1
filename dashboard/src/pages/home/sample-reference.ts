import type { UseMutationResult } from '@tanstack/react-query';
import type { Reference } from 'tenure';
import { useWrite } from '../../api/requests.ts';

/** Creates a reference with its customer and its application, so that there is something to look at. For a sandbox only. */
export function useSampleReference(onDone: (reference: Reference) => void): UseMutationResult<Reference, Error, void> {
  return useWrite<void, Reference>(
    async (tenure, _, options) => {
      // Each request has a key of its own. So a second attempt continues where the first one ended.
      const optionsOf = (part: string): typeof options => ({
        ...options,
        idempotencyKey: `${options.idempotencyKey}-${part}`,
      });
      const metadata = { sample: 'true' };
      const customer = await tenure.customers.create(
        { name: 'Ada Sample', email: 'ada.sample@example.com', metadata },
        optionsOf('customer'),
      );
      const application = await tenure.applications.create(
        { customers: [customer.id], metadata },
        optionsOf('application'),
      );
      return tenure.references.create(
        { application: application.id, customer: customer.id, metadata },
        optionsOf('reference'),
      );
    },
    { onDone },
  );
}
