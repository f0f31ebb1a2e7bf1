import type { ReactNode } from 'react';
import type { RaisedCheck } from 'tenure';
import { Badge } from '@tenure/ui';
import { Section } from '../shell/page.tsx';
import { dutyText, type State } from './letting-words.ts';
import { Notice } from './parts.tsx';

/** Where a record stands, in a badge. */
export function StateMark({ state: { tone, name } }: { state: State }): ReactNode {
  return <Badge tone={tone}>{name}</Badge>;
}

/** The duties by law that a record does not meet. */
export function Duties({ checks }: { checks: readonly RaisedCheck[] }): ReactNode {
  if (checks.length === 0) return null;
  return (
    <Section title="Duties by law">
      {checks.map((check) => (
        <Notice key={check.id} tone="warning" title={dutyText(check)} />
      ))}
    </Section>
  );
}
