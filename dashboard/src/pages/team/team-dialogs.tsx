import { useState, type FormEvent, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiKey, Invitation, User as Member } from 'tenure';
import { Actions, Button, ConfirmDialog, Dialog, ErrorState, Id, Select, Skeleton, TextField, toast } from '@tenure/ui';
import { keysRead } from '../../api/reads.ts';
import { faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useUser, type User } from '../../api/session.ts';
import { nameOfKey } from '../api-keys/key-name.tsx';
import { LinkOnce } from '../../shell/link-once.tsx';
import { roleTexts, rolesToGive } from './roles.ts';
import styles from './team.module.css';

/** What a person wants to do with the team. Each has its dialog. */
export type TeamAction =
  | { kind: 'role' | 'reset_link' | 'end_sessions' | 'disable' | 'enable' | 'remove'; member: Member }
  | { kind: 'revoke'; invitation: Invitation };

/** The dialog of an action. Null is no dialog. */
export function TeamDialog({ action, onClose }: { action: TeamAction | null; onClose: () => void }): ReactNode {
  switch (action?.kind) {
    case undefined:
      return null;
    case 'role':
      return <RoleDialog member={action.member} onClose={onClose} />;
    case 'reset_link':
      return <ResetLinkDialog member={action.member} onClose={onClose} />;
    case 'end_sessions':
      return <EndSessionsDialog member={action.member} onClose={onClose} />;
    case 'disable':
    case 'enable':
      return <StatusDialog member={action.member} status={action.kind} onClose={onClose} />;
    case 'remove':
      return <RemoveDialog member={action.member} onClose={onClose} />;
    case 'revoke':
      return <RevokeDialog invitation={action.invitation} onClose={onClose} />;
  }
}

interface MemberDialogProps {
  member: Member;
  onClose: () => void;
}

/** Invites a person, and shows the link once. */
export function InviteDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { role: ownRole } = useUser();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<User['role']>('viewer');
  const inviting = useWrite((tenure, input: { email: string; role: User['role'] }, options) =>
    tenure.invitations.create(input, options),
  );
  const { data, error } = inviting;
  if (data)
    return (
      <Dialog title={`Invitation for ${data.email}`} isOpen>
        <LinkOnce url={data.url ?? ''} expiresAt={data.expires_at} emailStatus={data.email_status} onClose={onClose} />
      </Dialog>
    );
  const faults = { email: faultOf(error, 'email'), role: faultOf(error, 'role') };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    inviting.mutate({ email: email.trim(), role });
  };
  return (
    <Dialog title="Invite a person" isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label="E-mail"
          type="email"
          autoComplete="off"
          value={email}
          onChange={setEmail}
          isRequired
          error={faults.email}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- The dialog was opened to fill in this field.
          autoFocus
        />
        <Select
          label="Role"
          hint={roleTexts[role]}
          choices={rolesToGive(ownRole)}
          value={role}
          onChange={(id) => setRole(id as User['role'])}
          error={faults.role}
        />
        <p className={styles.quiet}>
          You get a link for the person. If this server sends e-mails, it sends the link, too. It works once, within
          seven days.
        </p>
        {error !== null && !faults.email && !faults.role && <ErrorState error={shownError(error)} />}
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={inviting.isPending}>
            Make invitation
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

function RoleDialog({ member, onClose }: MemberDialogProps): ReactNode {
  const { role: ownRole } = useUser();
  const [role, setRole] = useState(member.role as User['role']);
  const saving = useWrite(
    (tenure, input: { role: User['role'] }, options) => tenure.users.update(member.id, input, options),
    {
      onDone: (changed) => {
        toast(`${changed.email} is ${changed.role} now.`);
        onClose();
      },
    },
  );
  const { error } = saving;
  const fault = faultOf(error, 'role');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate({ role });
  };
  return (
    <Dialog title={`Role of ${member.email}`} isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <Select
          label="Role"
          hint={roleTexts[role]}
          choices={rolesToGive(ownRole)}
          value={role}
          onChange={(id) => setRole(id as User['role'])}
          error={fault}
        />
        <p className={styles.quiet}>All sessions of this member end. They sign in again with the new role.</p>
        {error !== null && fault === null && <ErrorState error={shownError(error)} />}
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={saving.isPending || role === member.role}>
            Change role
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

function ResetLinkDialog({ member, onClose }: MemberDialogProps): ReactNode {
  const making = useWrite((tenure, user: string) =>
    tenure.request<{ url: string; expires_at: number; email_status: string | null }>(
      'POST',
      '/auth/users/reset_link',
      { user },
      { maxRetries: 0 },
    ),
  );
  if (making.data)
    return (
      <Dialog title={`New password of ${member.email}`} isOpen>
        <LinkOnce
          url={making.data.url}
          expiresAt={making.data.expires_at}
          emailStatus={making.data.email_status}
          onClose={onClose}
        />
      </Dialog>
    );
  return (
    <Dialog title={`Link for a new password of ${member.email}`} isOpen onClose={onClose}>
      <p>With this link, the member sets a new password. It works for an hour, and once.</p>
      <p className={styles.quiet}>The link does not pass a second factor.</p>
      {making.error && <ErrorState error={shownError(making.error)} />}
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" onPress={() => making.mutate(member.id)} isDisabled={making.isPending}>
          Make link
        </Button>
      </Actions>
    </Dialog>
  );
}

function EndSessionsDialog({ member, onClose }: MemberDialogProps): ReactNode {
  const ending = useWrite(
    (tenure, user: string) => tenure.request('POST', '/auth/users/end_sessions', { user }, { maxRetries: 0 }),
    {
      onDone: () => {
        toast(`The sessions of ${member.email} have ended.`);
        onClose();
      },
    },
  );
  return (
    <ConfirmDialog
      title={`End the sessions of ${member.email}?`}
      confirmText="End sessions"
      isOpen
      isPending={ending.isPending}
      onCancel={onClose}
      onConfirm={() => ending.mutate(member.id)}
    >
      <p>The member is signed out in all browsers, and may sign in again.</p>
      {ending.error && <ErrorState error={shownError(ending.error)} />}
    </ConfirmDialog>
  );
}

function StatusDialog({ member, status, onClose }: MemberDialogProps & { status: 'disable' | 'enable' }): ReactNode {
  const next = status === 'disable' ? 'disabled' : 'active';
  const saving = useWrite(
    (tenure, input: { status: 'active' | 'disabled' }, options) => tenure.users.update(member.id, input, options),
    {
      onDone: () => {
        toast(`${member.email} is ${next} now.`);
        onClose();
      },
    },
  );
  const error = saving.error && <ErrorState error={shownError(saving.error)} />;
  if (status === 'disable')
    return (
      <ConfirmDialog
        title={`Disable ${member.email}?`}
        confirmText="Disable"
        isOpen
        isPending={saving.isPending}
        onCancel={onClose}
        onConfirm={() => saving.mutate({ status: next })}
      >
        <p>
          The member cannot sign in until you enable them again. Their sessions end, and their invitations are void.
        </p>
        {error}
      </ConfirmDialog>
    );
  return (
    <Dialog title={`Enable ${member.email}?`} isOpen onClose={onClose}>
      <p>The member may sign in again, with the same password and second factor.</p>
      {error}
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" onPress={() => saving.mutate({ status: next })} isDisabled={saving.isPending}>
          Enable
        </Button>
      </Actions>
    </Dialog>
  );
}

/** Removes a member. It first reads which API keys the member made. They would else come late, and move the buttons. */
function RemoveDialog({ member, onClose }: MemberDialogProps): ReactNode {
  const keys = useRead(keysRead, {});
  const removing = useWrite((tenure, id: string, options) => tenure.users.delete(id, options), {
    onDone: () => {
      toast(`${member.name ?? member.email} is removed and signed out.`);
      onClose();
    },
  });
  const title = `Remove ${member.email}?`;
  if (keys.isPending)
    return (
      <Dialog title={title} isOpen onClose={onClose} role="alertdialog">
        <Skeleton rows={3} />
      </Dialog>
    );
  return (
    <ConfirmDialog
      title={title}
      confirmText="Remove member"
      isOpen
      isPending={removing.isPending}
      onCancel={onClose}
      onConfirm={() => removing.mutate(member.id)}
    >
      <p>The member is signed out, and can come back only by a new invitation.</p>
      <KeysOf member={member} keys={keys} />
      {removing.error && <ErrorState error={shownError(removing.error)} />}
    </ConfirmDialog>
  );
}

/** Names the API keys that a member made. They do not end with the member. */
function KeysOf({ member, keys: { data, error } }: { member: Member; keys: UseQueryResult<ApiKey[]> }): ReactNode {
  if (error !== null) return <ErrorState error={shownError(error)} />;
  const keys = data?.filter(({ created_by: maker, status }) => maker === member.id && status === 'active') ?? [];
  if (keys.length === 0) return null;
  return (
    <>
      <p>
        <strong>Their API keys stay valid.</strong> Revoke those that you no longer trust:
      </p>
      <ul className={styles.keys}>
        {keys.map(({ id, name, type, last_four: lastFour }) => (
          <li key={id}>
            {nameOfKey({ name, type })} …{lastFour} <Id id={id} href={`/api-keys/${id}`} />
          </li>
        ))}
      </ul>
    </>
  );
}

function RevokeDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }): ReactNode {
  const revoking = useWrite((tenure, id: string, options) => tenure.invitations.delete(id, options), {
    onDone: () => {
      toast(`The invitation of ${invitation.email} was revoked.`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke the invitation of ${invitation.email}?`}
      confirmText="Revoke invitation"
      isOpen
      isPending={revoking.isPending}
      onCancel={onClose}
      onConfirm={() => revoking.mutate(invitation.id)}
    >
      <p>Its link no longer works.</p>
      {revoking.error && <ErrorState error={shownError(revoking.error)} />}
    </ConfirmDialog>
  );
}
