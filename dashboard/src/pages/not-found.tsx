import type { ReactNode } from 'react';
import { ButtonLink, EmptyState } from '@tenure/ui';
import { Page } from '../shell/page.tsx';

/** The page for unknown paths, and for ids that lead nowhere. It does not tell whether a foreign record exists. */
export function NotFoundPage(): ReactNode {
  return (
    <Page title="Not found">
      <EmptyState
        title="There is no such page"
        text="The address may be mistyped, or the record may belong to another account."
        action={<ButtonLink href="/">Go to the start page</ButtonLink>}
      />
    </Page>
  );
}

/** Stands for the pages of developers if the person works in the office. */
export function ForDevelopersPage(): ReactNode {
  return (
    <Page title="For developers">
      <EmptyState
        title="This page is for developers"
        text="It shows how programs use Tenure. Nothing on it belongs to the work of an office."
        action={<ButtonLink href="/">Go to the start page</ButtonLink>}
      />
    </Page>
  );
}
