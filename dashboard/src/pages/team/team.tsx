import { useState, type ReactNode } from 'react';
import type { Invitation, User as Member } from 'tenure';
import { Badge, Button, EmptyState, ErrorState, Icon, Menu, Skeleton, Table, Time, type Tone } from '@tenure/ui';
import { EmailState } from '../../shell/email-state.tsx';
import { keysRead, membersRead } from '../../api/reads.ts';
import { defineRead, shownError, useRead, useReadAgain } from '../../api/requests.ts';
import { useUser } from '../../api/session.ts';
import { useActing } from '../../shell/account-bar.tsx';
import { Page, Section, Sections } from '../../shell/page.tsx';
import { useOpenedByHash } from '../../shell/opened-by-hash.ts';
import { refusalToHandle } from './roles.ts';
import { InviteDialog, TeamDialog, type TeamAction } from './team-dialogs.tsx';
import styles from './team.module.css';

/** The most invitations of the table. Larger teams use the API. */
const invitationsMax = 500;

/** How often the invitations are read again while one is open, in milliseconds. */
const refreshMs = 5_000;

const invitationsRead = defineRead((tenure, _, options) =>
  tenure.invitations.list({}, options).toArray({ limit: invitationsMax }),
);

const statusTones: Record<string, Tone> = {
  active: 'good',
  pending: 'waiting',
  accepted: 'good',
  disabled: 'bad',
};

/** The members of the account and the invitations to it. */
export function TeamPage(): ReactNode {
  const [action, setAction] = useState<TeamAction | null>(null);
  const inviting = useOpenedByHash('invite');
  const { role, permissions } = useUser();
  const mayRead = permissions.includes('users.read');
  // The API refuses invitations to connected accounts.
  const isOwn = useActing() === undefined;
  const mayWrite = isOwn && permissions.includes('users.write');
  // The dialog that removes a member names the keys of the member. So it can open at once.
  useRead(keysRead, {}, { isOn: mayWrite });
  return (
    <Page
      title="Team"
      actions={
        <Button look="primary" isDisabled={!mayWrite} onPress={inviting.open}>
          <Icon name="plus" size={14} />
          Invite
        </Button>
      }
    >
      {!mayRead ? (
        <EmptyState
          title="Your role does not see the team"
          text={`You are ${role}. Owners, admins and developers see the members of the account.`}
        />
      ) : (
        <>
          {isOwn && !mayWrite && <p className={styles.quiet}>Owners and admins change the team. You are {role}.</p>}
          <Sections>
            <Section title="Members">
              <Members onAction={setAction} />
            </Section>
            {isOwn && (
              <Section title="Invitations">
                <Invitations onAction={setAction} />
              </Section>
            )}
          </Sections>
        </>
      )}
      {mayWrite && inviting.isOpen && <InviteDialog onClose={inviting.close} />}
      <TeamDialog action={action} onClose={() => setAction(null)} />
    </Page>
  );
}

function Members({ onAction }: { onAction: (action: TeamAction) => void }): ReactNode {
  const { account } = useUser();
  const { data, error, refetch } = useRead(membersRead, {});
  if (error !== null) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if (data.length === 0)
    return (
      <EmptyState
        title="No members"
        text={`This account is connected to ${account.name}. The people of ${account.name} act for it.`}
      />
    );
  return (
    <Table
      label="Members"
      rows={data}
      columns={[
        { title: 'Member', cell: (member) => <MemberName member={member} /> },
        { title: 'Role', cell: ({ role }) => role },
        { title: 'Status', cell: ({ status }) => <Badge tone={statusTones[status] ?? 'neutral'}>{status}</Badge> },
        { title: 'Second factor', cell: ({ second_factor: factor }) => factorNames[factor] ?? factor },
        {
          title: 'Last sign-in',
          cell: ({ last_signed_in_at: at }) => (at === null ? 'never' : <Time at={at} isReal />),
        },
        { title: 'Actions', align: 'end', cell: (member) => <MemberMenu member={member} onAction={onAction} /> },
      ]}
    />
  );
}

const factorNames: Record<string, string> = { none: 'none', totp: 'authenticator app', passkey: 'passkey' };

function MemberName({ member: { id, name, email } }: { member: Member }): ReactNode {
  const isOwn = useUser().id === id;
  return (
    <span className={styles.person}>
      <span className={styles.name}>
        {name ?? email} {isOwn && <Badge>you</Badge>}
      </span>
      {name !== null && <span>{email}</span>}
    </span>
  );
}

function MemberMenu({ member, onAction }: { member: Member; onAction: (action: TeamAction) => void }): ReactNode {
  const own = useUser();
  const isOwn = own.id === member.id;
  const reason = refusalToHandle(own.role, member.role);
  const entry = (id: Exclude<TeamAction['kind'], 'revoke'>, name: string, isDanger = false) => {
    // A person changes their own factors and sessions in the profile, and is removed by another one.
    const refusal = reason ?? (isOwn && id !== 'role' ? 'This is you' : null);
    return {
      id,
      name,
      isDanger,
      onAction: () => onAction({ kind: id, member }),
      ...(refusal !== null && { disabledReason: refusal }),
    };
  };
  return (
    <Menu
      trigger={
        <Button look="plain" isSmall isIcon aria-label={`Actions for ${member.email}`}>
          <Icon name="more" />
        </Button>
      }
      groups={[
        {
          id: 'change',
          entries: [
            entry('role', 'Change role…'),
            entry('reset_link', 'Link for a new password…'),
            entry('end_sessions', 'End sessions…'),
            member.status === 'disabled' ? entry('enable', 'Enable') : entry('disable', 'Disable…'),
          ],
        },
        { id: 'remove', entries: [entry('remove', 'Remove…', true)] },
      ]}
    />
  );
}

function Invitations({ onAction }: { onAction: (action: TeamAction) => void }): ReactNode {
  // A colleague joins elsewhere. The page then shows them as a member, without a reload.
  const { data, error, refetch } = useRead(
    invitationsRead,
    {},
    { refreshMs: (invitations) => (invitations.some(({ status }) => status === 'pending') ? refreshMs : false) },
  );
  useReadAgain(data?.map(({ id, status }) => `${id} ${status}`).join());
  if (error !== null) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if (data.length === 0)
    return (
      <EmptyState
        title="No invitations yet"
        text="An invitation is a link, which you send to a person. They then join with the role that you chose."
      />
    );
  return (
    <Table
      label="Invitations"
      rows={data}
      columns={[
        { title: 'E-mail', cell: ({ email }) => <span className={styles.name}>{email}</span> },
        { title: 'Role', cell: ({ role }) => role },
        { title: 'Status', cell: ({ status }) => <Badge tone={statusTones[status] ?? 'neutral'}>{status}</Badge> },
        { title: 'Made', cell: ({ created }) => <Time at={created} /> },
        { title: 'Ends', cell: ({ expires_at: at, status }) => (status === 'pending' ? <Time at={at} isReal /> : '–') },
        { title: 'E-mail sent', cell: (invitation) => <EmailState of={invitation} /> },
        {
          title: 'Actions',
          align: 'end',
          cell: (invitation) => <RevokeButton invitation={invitation} onAction={onAction} />,
        },
      ]}
    />
  );
}

function RevokeButton({
  invitation,
  onAction,
}: {
  invitation: Invitation;
  onAction: (action: TeamAction) => void;
}): ReactNode {
  const own = useUser();
  if (invitation.status !== 'pending') return '–';
  return (
    <Button
      isSmall
      aria-label={`Revoke the invitation of ${invitation.email}`}
      isDisabled={refusalToHandle(own.role, invitation.role) !== null}
      onPress={() => onAction({ kind: 'revoke', invitation })}
    >
      Revoke
    </Button>
  );
}
