import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '@tenure/ui';

/** Asks before a person leaves a page with changes that are not saved. For other sites and closed tabs, the browser asks. */
export function UnsavedQuestion({ isChanged }: { isChanged: boolean }): ReactNode {
  const { status, proceed, reset } = useBlocker({
    // Another hash stays on the page. Another account has other values.
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname || accountOf(current.search) !== accountOf(next.search),
    enableBeforeUnload: isChanged,
    disabled: !isChanged,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      title="Leave without saving?"
      isOpen={status === 'blocked'}
      confirmText="Leave"
      onCancel={() => reset?.()}
      onConfirm={() => proceed?.()}
    >
      <p>Your changes on this page are not saved.</p>
    </ConfirmDialog>
  );
}

function accountOf(search: { account?: string }): string | undefined {
  return search.account;
}
