import type { ReactNode } from 'react';
import { Link } from '@tenure/ui';
import { officePathOfId } from '../shell/navigation.ts';
import { idOf } from './words.ts';

/** The name of a record, which leads to its page if the dashboard has one. */
export function LinkedName({ record, name }: { record: string | { id: string } | null; name: string }): ReactNode {
  const href = record === null ? null : officePathOfId(idOf(record));
  return href === null ? <span>{name}</span> : <Link href={href}>{name}</Link>;
}
