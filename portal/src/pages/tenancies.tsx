import type { ReactNode } from 'react';
import { useRead, type Read } from '../api/reads.ts';
import type { Page as ListOf, Tenancy } from '../api/shapes.ts';
import { Notice } from '../kit/parts.tsx';
import { AskAgent, Loaded } from '../shell/page.tsx';
import { tenanciesPath } from './paths.ts';

/** Reads the tenancies of the person. */
export function useTenancies(): Read<ListOf<Tenancy>> {
  return useRead<ListOf<Tenancy>>(tenanciesPath);
}

/** Shows the tenancies of the person, or that there is none. */
export function Tenancies({
  of,
  isShown,
  children,
}: {
  of: Read<ListOf<Tenancy>>;
  isShown?: (tenancy: Tenancy) => boolean;
  children: (tenancy: Tenancy) => ReactNode;
}): ReactNode {
  return (
    <Loaded of={of}>
      {({ data }) => {
        const shown = isShown ? data.filter(isShown) : data;
        if (shown.length > 0) return shown.map(children);
        if (data.length > 0)
          return (
            <Notice>
              <p>
                <strong>You have no tenancy at the moment.</strong> Questions? Ask <AskAgent />.
              </p>
            </Notice>
          );
        return (
          <Notice>
            <p>
              <strong>There is no tenancy yet.</strong>
            </p>
            <p>
              You see it here once the agreement is signed. Questions? Ask <AskAgent />.
            </p>
          </Notice>
        );
      }}
    </Loaded>
  );
}
