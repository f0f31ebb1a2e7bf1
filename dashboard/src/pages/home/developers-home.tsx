import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button, Details, ErrorState, Id, Skeleton } from '@tenure/ui';
import { useWaitingApprovals } from '../../api/reads.ts';
import { shownError } from '../../api/requests.ts';
import { useRefusal, useSession, useUser } from '../../api/session.ts';
import { usePreferences } from '../../preferences.ts';
import { Page, Section } from '../../shell/page.tsx';
import { pathOfId } from '../../shell/navigation.ts';
import { Attention, useConcerns } from './attention.tsx';
import { FirstSteps, useDone } from './first-steps.tsx';
import { HomeChoice } from './home-choice.tsx';
import { LastDay, useLastDay } from './last-day.tsx';
import { useSampleReference } from './sample-reference.ts';
import styles from './home.module.css';

/** The start page of developers: what needs attention, the last 24 hours, and the first steps until they are done. */
export function DevelopersHome(): ReactNode {
  const { product, versions, mode } = useSession();
  const { account, email, role, permissions } = useUser();
  const isDeveloper = permissions.includes('logs.read');
  const { hasFirstSteps } = usePreferences();
  const concerns = useConcerns();
  const waiting = useWaitingApprovals();
  const done = useDone({ isOn: isDeveloper && hasFirstSteps });
  const activity = useLastDay({ isOn: isDeveloper });
  const router = useRouter();
  const sample = useSampleReference(({ id }) => void router.navigate({ to: pathOfId(id)! }));
  const refusal = useRefusal('references.write');
  return (
    <Page
      title="Home"
      actions={
        <>
          <HomeChoice />
          {mode === 'sandbox' && (
            <div className={styles.action}>
              <Button onPress={() => sample.mutate()} isDisabled={sample.isPending || refusal !== null}>
                Create a sample reference
              </Button>
              {refusal !== null && <small>{refusal}</small>}
            </div>
          )}
        </>
      }
    >
      {sample.error !== null && <ErrorState error={shownError(sample.error)} />}
      {/* The parts appear together, so that none moves another. */}
      {[concerns, waiting, done, activity].some(({ isLoading }) => isLoading) ? (
        <Skeleton rows={16} />
      ) : (
        <div className={styles.sections}>
          <Attention concerns={concerns} />
          {/* The steps are a help. An error about them would be none. */}
          {hasFirstSteps && done.data && <FirstSteps done={done.data} />}
          {isDeveloper && <LastDay activity={activity} />}
          <Section title={account.name}>
            <Details
              items={[
                ['Account', <Id key="id" id={account.id} />],
                ['Signed in as', `${email} (${role})`],
                ['Mode', mode],
                ['Newest API version', versions.newest],
                ['Release', `${product.name} ${product.version}`],
              ]}
            />
          </Section>
        </div>
      )}
    </Page>
  );
}
