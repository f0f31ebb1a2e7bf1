import type { ReactNode } from 'react';
import { Link } from '../router.tsx';
import { Page } from '../shell/page.tsx';

/** Stands in for a page that does not exist, or that the link of the person does not open. */
export function MissingPage(): ReactNode {
  return (
    <Page title="There is no such page" lead="Your link does not open this page, or it does not exist.">
      <p>
        <Link to="/">Go to the overview</Link>
      </p>
    </Page>
  );
}
