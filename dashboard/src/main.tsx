import '@tenure/ui/styles.css';
import { notifyManager, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useMemo, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { KitProvider, TimeContext, Toasts } from '@tenure/ui';
import { newQueryCache } from './api/query-cache.ts';
import { sessionQuery } from './api/session.ts';
import { basePath } from './base-url.ts';
import { applyPreferences, usePreferences } from './preferences.ts';
import { router } from './routes.tsx';
import { keepFocus } from './shell/kept-focus.ts';
import { showAfterPress } from './shell/press.ts';

const queries = new QueryClient({
  queryCache: newQueryCache(),
  defaultOptions: {
    // The SDK repeats what may be repeated. The bar of the lost connection does the rest.
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    // No result stays in the cache, because some of them have a secret.
    mutations: { retry: false, networkMode: 'always', gcTime: 0 },
  },
});

function App(): ReactNode {
  return (
    <StrictMode>
      <QueryClientProvider client={queries}>
        <KitProvider navigate={navigate} useHref={hrefOf} locale={navigator.language}>
          <Times>
            <RouterProvider router={router} />
          </Times>
          <Toasts />
        </KitProvider>
      </QueryClientProvider>
    </StrictMode>
  );
}

function Times({ children }: { children: ReactNode }): ReactNode {
  const { zone } = usePreferences();
  const aheadSeconds = useQuery(sessionQuery).data?.clock.ahead_seconds ?? 0;
  const settings = useMemo(() => ({ zone, aheadSeconds }), [zone, aheadSeconds]);
  return <TimeContext value={settings}>{children}</TimeContext>;
}

/** Returns the address of a path of the app. The account of the page stays. Other addresses stay as they are. */
function hrefOf(href: string): string {
  if (!href.startsWith('/')) return href;
  const { account } = router.state.location.search as { account?: string };
  const url = new URL(href, location.origin);
  if (account !== undefined && !url.searchParams.has('account')) url.searchParams.set('account', account);
  return basePath + url.pathname + url.search + url.hash;
}

function navigate(href: string): void {
  if (href.startsWith('/')) router.history.push(hrefOf(href));
  else location.assign(href);
}

// Results of reads come to the components this way.
notifyManager.setScheduler((show) => void setTimeout(() => showAfterPress(show)));
applyPreferences();
keepFocus();
createRoot(document.querySelector('#app')!).render(<App />);
