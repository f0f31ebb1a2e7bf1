import { useEffect, useState, type ReactNode } from 'react';
import { open, PortalError, readLink } from '../api/client.ts';
import { forgetReads } from '../api/reads.ts';
import { beginSession, forgetToken } from '../api/session.ts';
import type { Agent } from '../api/shapes.ts';
import { applyBrand } from '../brand.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/parts.tsx';
import { navigate } from '../router.tsx';
import { Contact, leaveFirstPage } from '../shell/page.tsx';
import { Alone } from '../shell/shell.tsx';
import { agentName, errorText } from '../words.ts';

function enter(): void {
  forgetReads();
  leaveFirstPage();
  beginSession();
  navigate('/');
  forgetToken();
}

/** Opens a link by a button. A preview in a chat presses none, so that the link still works. */
export function LinkPage({ token }: { token: string }): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const [agent, setAgent] = useState<Agent | null>(null);
  const [error, setError] = useState<PortalError | null>(null);
  useEffect(() => {
    let isGone = false;
    const look = async (): Promise<void> => {
      try {
        const { account } = await readLink(token);
        if (isGone) return;
        setAgent(account);
        applyBrand(account.brand_color);
      } catch (thrown) {
        // Any other fault may pass until the button is pressed.
        if (!isGone && thrown instanceof PortalError && thrown.status === 401) setError(thrown);
      }
    };
    void look();
    return () => {
      isGone = true;
    };
  }, [token]);
  const use = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await open(token);
      enter();
    } catch (thrown) {
      setError(thrown instanceof PortalError ? thrown : new PortalError('', { status: 0, code: 'unknown' }));
    } finally {
      setBusy(false);
    }
  };
  if (error?.status === 401)
    return (
      <Alone agent={null}>
        <h1>This link does not work any more</h1>
        <p>Each link works once and for a limited time. It was used already, or it has expired.</p>
        <p>
          <strong>What to do:</strong> ask your agent for a new link. Nothing that you have sent is lost.
        </p>
        <p>If you opened it on this device today, your page may still be open.</p>
        <div>
          <Button onPress={enter}>Go to my page</Button>
        </div>
      </Alone>
    );
  const name = agent === null ? 'Your agent' : agentName(agent);
  return (
    <Alone agent={agent}>
      <h1>Your page is ready</h1>
      <p>{name} has made this link. It opens a page that is for you alone. Please do not pass the link on.</p>
      {error !== null && (
        <Notice tone="bad" role="alert">
          <p>{errorText(error)}</p>
        </Notice>
      )}
      <div>
        <Button look="primary" isBusy={isBusy} onPress={() => void use()}>
          {isBusy ? 'Opening…' : 'Open my page'}
        </Button>
      </div>
      <p>
        The link works once. Your page then stays open on this device for eight hours at most. It closes when you sign
        out, or do nothing for an hour.
      </p>
      {agent !== null && (
        <p>
          Were you not expecting this? Ask <Contact agent={agent} />.
        </p>
      )}
    </Alone>
  );
}
