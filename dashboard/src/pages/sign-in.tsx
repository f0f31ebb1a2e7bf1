import { useEffect, type ReactNode } from 'react';
import { Badge, CodeBlock, Mark } from '@tenure/ui';
import { useSession } from '../api/session.ts';
import { IdentityProviderSignIn } from './identity-provider-sign-in.tsx';
import { PasskeysElsewhere } from './passkey-sign-in.tsx';
import { SignInForm } from './sign-in-form.tsx';
import styles from './sign-in.module.css';

/** The form at any path of the dashboard while no person is signed in. */
export function SignInPage(): ReactNode {
  const { has_users: hasUsers } = useSession();
  if (!hasUsers) {
    return (
      <Card title="Welcome to Tenure">
        <p>There is no owner yet. The server printed a link for the first one when it started. Open that link.</p>
        <CodeBlock title="Print a new link" text="npm run login-link" />
      </Card>
    );
  }
  return (
    <Card title="Sign in">
      <SignInForm />
      <div className={styles.form}>
        <IdentityProviderSignIn />
      </div>
      <PasskeysElsewhere />
      <details className={styles.help}>
        <summary>Forgot your password, or lost your second factor or passkey?</summary>
        <div>
          <p>An owner or admin of your team makes a link for a new password.</p>
          <p>
            The operator of the server prints a link that signs you in. With <code>--reset-second-factor</code>, it also
            removes lost factors and passkeys:
          </p>
          <CodeBlock title="On the server" text="npm run login-link -- --email you@example.com" />
        </div>
      </details>
    </Card>
  );
}

/** A page outside of the shell, with one thing to do. */
export function Card({ title, children }: { title: string; children: ReactNode }): ReactNode {
  useEffect(() => {
    document.title = `${title} – Tenure`;
  }, [title]);
  const { mode } = useSession();
  return (
    <main className={styles.outside}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <Mark size={28} />
          <span>Tenure</span>
          {mode === 'sandbox' && <Badge tone="warning">Sandbox</Badge>}
        </div>
        <h1>{title}</h1>
        {children}
        {mode === 'sandbox' && <p className={styles.quiet}>This is a sandbox. Nothing here is real.</p>}
      </div>
    </main>
  );
}
