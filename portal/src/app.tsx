import { useEffect, type ReactNode } from 'react';
import { useRead } from './api/reads.ts';
import { notePerson, useEnding, useToken } from './api/session.ts';
import type { Agent, Me } from './api/shapes.ts';
import { applyBrand } from './brand.ts';
import { Skeleton } from './kit/parts.tsx';
import { usePath } from './router.tsx';
import { ApplicationPage } from './pages/application.tsx';
import { DepositPage } from './pages/deposit.tsx';
import { DetailsPage } from './pages/details.tsx';
import { DocumentsPage } from './pages/documents.tsx';
import { EndedPage } from './pages/ended.tsx';
import { HomePage } from './pages/home.tsx';
import { LinkPage } from './pages/link.tsx';
import { MissingPage } from './pages/missing.tsx';
import { NoticePage } from './pages/notice.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PetsPage } from './pages/pets.tsx';
import { RentPage } from './pages/rent.tsx';
import { StatementPage } from './pages/statement.tsx';
import { MeContext } from './shell/context.ts';
import { Failure } from './shell/page.tsx';
import { pagesFor } from './shell/pages.ts';
import { Alone, Shell } from './shell/shell.tsx';
import { errorText } from './words.ts';

/** The agent of the last session of this window, so that its end can name them. */
let lastAgent: Agent | null = null;

/** Shows the page of a link, the end of a session, or the pages of a session. */
export function App(): ReactNode {
  const token = useToken();
  const ending = useEnding();
  if (token !== null) return <LinkPage key={token} token={token} />;
  if (ending !== null) return <EndedPage ending={ending} agent={lastAgent} />;
  return <Session />;
}

function Session(): ReactNode {
  const { data: me, error, retry } = useRead<Me>('me');
  const agent = me?.account ?? null;
  const person = me?.id ?? null;
  useEffect(() => {
    if (person !== null) notePerson(person);
  }, [person]);
  useEffect(() => {
    if (agent === null) return;
    lastAgent = agent;
    applyBrand(agent.brand_color);
  }, [agent]);
  if (me === undefined)
    return (
      <Alone agent={null}>
        {error === null ? (
          <Skeleton />
        ) : (
          <>
            <h1>We cannot show your page</h1>
            <Failure text={errorText(error)} requestId={error.requestId} onRetry={retry} />
          </>
        )}
      </Alone>
    );
  return (
    <MeContext value={me}>
      <Shell>
        <CurrentPage me={me} />
      </Shell>
    </MeContext>
  );
}

const views: Readonly<Record<string, () => ReactNode>> = {
  '/application': ApplicationPage,
  '/documents': DocumentsPage,
  '/details': DetailsPage,
  '/home': HomePage,
  '/rent': RentPage,
  '/deposit': DepositPage,
  '/pets': PetsPage,
  '/notice': NoticePage,
};

/** Shows the page of the address. A page that the session does not open is missing. */
function CurrentPage({ me }: { me: Me }): ReactNode {
  const path = usePath();
  if (path === '/') return <OverviewPage key={path} />;
  const [, first = '', second, ...rest] = path.split('/');
  const isOpen = pagesFor(me.session.features).some((entry) => entry.path === `/${first}`);
  const View = views[`/${first}`];
  if (!isOpen || View === undefined || rest.length > 0) return <MissingPage key={path} />;
  if (second === undefined) return <View key={path} />;
  return first === 'rent' ? <StatementPage key={path} tenancy={second} /> : <MissingPage key={path} />;
}
