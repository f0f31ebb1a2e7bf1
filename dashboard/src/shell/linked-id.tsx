import type { ReactNode } from 'react';
import { Id } from '@tenure/ui';
import { pathOfId } from './navigation.ts';

/** An id that leads to its record, if the dashboard has a page for it. */
export function LinkedId({ id }: { id: string }): ReactNode {
  return <Id id={id} href={pathOfId(id) ?? undefined} />;
}
