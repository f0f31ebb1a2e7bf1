import type { ReactNode } from 'react';
import type { AutomaticReferenceInput } from 'tenure';
import { Radios } from '@tenure/ui';
import { useSession } from '../api/session.ts';
import { services } from './checks.ts';
import { useRead } from '../api/requests.ts';
import { usualServiceRead } from './reads.ts';

/** The choice of a check without a service. */
export const byHandId = 'by_hand';

/** Returns the usual choice: the service of the account. A sandbox always has one. */
export function useUsualService(): string {
  const { mode } = useSession();
  const { data } = useRead(usualServiceRead, {});
  return data ?? (mode === 'sandbox' ? services[0].id : byHandId);
}

/** Returns what the API takes for a choice. */
export function automaticOf(choice: string): { automatic_reference?: AutomaticReferenceInput } {
  if (choice === byHandId) return {};
  return { automatic_reference: { provider: choice as NonNullable<AutomaticReferenceInput['provider']> } };
}

/** Returns what the API takes for a choice, about a check that exists. */
export function movedTo(choice: string): { automatic_reference: AutomaticReferenceInput } {
  const { automatic_reference: automatic } = automaticOf(choice);
  return { automatic_reference: automatic ?? { enabled: false } };
}

/**
 * The choice of the service that makes a check, or of the office.
 *
 * @param props.present the present choice, which cannot be chosen again.
 */
export function ServiceChoice({
  present = null,
  ...props
}: {
  label: string;
  value: string | null;
  onChange: (choice: string) => void;
  present?: string | null;
  error?: string | null;
}): ReactNode {
  const usual = useUsualService();
  const disabled = (id: string) => id === present && { disabledReason: 'It makes the check now.' };
  return (
    <Radios
      {...props}
      options={[
        ...services.map(({ id, name }) => ({ id, name: id === usual ? `${name} (usual)` : name, ...disabled(id) })),
        {
          id: byHandId,
          name: 'By hand',
          text: 'Your office collects the documents and enters the outcome.',
          ...disabled(byHandId),
        },
      ]}
    />
  );
}
