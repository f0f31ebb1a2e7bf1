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

/** The choice of the service that makes a check, or of the office. */
export function ServiceChoice(props: {
  label: string;
  value: string;
  onChange: (choice: string) => void;
  error?: string | null;
}): ReactNode {
  const usual = useUsualService();
  return (
    <Radios
      {...props}
      options={[
        ...services.map(({ id, name }) => ({ id, name: id === usual ? `${name} (usual)` : name })),
        { id: byHandId, name: 'By hand', text: 'Your office collects the documents and enters the outcome.' },
      ]}
    />
  );
}
