'use client';

import { Button, RadioCards, SwitchField, TextField, useToasts } from '@clarion/ui';
import { LogOut, Mail, ShieldOff, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import { useMe, type Me } from '#lib/dashboard/me.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import { roleCards } from './roles.ts';
import type { User } from './UsersPage.tsx';

interface Draft {
  name: string;
  role: Me['role'];
  required: boolean;
  disabled: boolean;
}
type Asking = 'remove' | 'signOut' | 'resetTwoFactor' | null;

export function UserDrawer({ user, onClose }: { user: User | null; onClose(): void }) {
  const me = useMe();
  const toasts = useToasts();
  const [asking, setAsking] = useState<Asking>(null);
  const { draft, change, dirty } = useDraft<Draft>(
    user !== null,
    () => ({
      name: user?.name ?? '',
      role: user?.role ?? 'SUPERVISOR',
      required: user?.twoFactor.required ?? false,
      disabled: user?.status === 'DISABLED',
    }),
    JSON.stringify(user),
  );
  const invalidates = ['/v1/users'] as const;
  const save = useChange('PATCH', '/v1/users/{userId}', { invalidates });
  const remove = useChange('DELETE', '/v1/users/{userId}', { invalidates });
  const signOut = useChange('DELETE', '/v1/users/{userId}/sessions', { invalidates });
  const resetTwoFactor = useChange('POST', '/v1/users/{userId}/two-factor/reset', { invalidates });
  const inviteAgain = useChange('POST', '/v1/users/{userId}/invitation', { invalidates });
  const path = { userId: user?.id ?? 0 };
  const name = user?.name ?? '';
  return (
    <EditDrawer
      open={user !== null}
      onClose={onClose}
      title={name}
      description={user?.email}
      dirty={dirty}
      saveLabel="Save"
      onSave={async () => {
        const body = {
          name: draft.name,
          role: draft.role,
          two_factor_required: draft.required,
          disabled: draft.disabled,
        };
        await save.mutateAsync({ path, body });
        toasts.add({ title: `${draft.name} was changed` });
      }}
      aside={
        <Button tone="plain" icon={<Trash2 className="size-4" />} onClick={() => setAsking('remove')}>
          Remove
        </Button>
      }
      above={
        <div className="flex flex-wrap gap-2">
          {user?.status === 'INVITED' && (
            <Button
              icon={<Mail className="size-4" />}
              busy={inviteAgain.isPending}
              onClick={() =>
                inviteAgain.mutate(
                  { path },
                  {
                    onSuccess: () => toasts.add({ title: `A new invitation was sent to ${name}` }),
                    onError: ({ message }) => toasts.add({ title: message, tone: 'negative' }),
                  },
                )
              }
            >
              Resend invitation
            </Button>
          )}
          {user?.status === 'ACTIVE' && (
            <Button icon={<LogOut className="size-4" />} onClick={() => setAsking('signOut')}>
              Sign out everywhere
            </Button>
          )}
          {/* Users turn off their own on the account page, with their password. */}
          {user?.twoFactor.enabled && user.email !== me.email && (
            <Button icon={<ShieldOff className="size-4" />} onClick={() => setAsking('resetTwoFactor')}>
              Reset two-factor authentication
            </Button>
          )}
        </div>
      }
      dialogs={
        <>
          <ConfirmAction
            open={asking === 'remove'}
            onClose={() => setAsking(null)}
            title={`Remove ${name}?`}
            confirmLabel="Remove"
            tone="negative"
            onConfirm={async () => {
              await remove.mutateAsync({ path });
              toasts.add({ title: `${name} was removed` });
              onClose();
            }}
          >
            They are signed out immediately and cannot sign in again. Their actions stay in the audit log.
            This cannot be undone, but you can invite them again.
          </ConfirmAction>
          <ConfirmAction
            open={asking === 'signOut'}
            onClose={() => setAsking(null)}
            title={`Sign ${name} out everywhere?`}
            confirmLabel="Sign out"
            onConfirm={async () => {
              await signOut.mutateAsync({ path });
              toasts.add({ title: `${name} was signed out` });
              // This includes the user's own session.
              if (user?.email === me.email) location.assign('/app/sign-in');
            }}
          >
            They are signed out of all browsers and must sign in again.
          </ConfirmAction>
          <ConfirmAction
            open={asking === 'resetTwoFactor'}
            onClose={() => setAsking(null)}
            title={`Reset two-factor authentication for ${name}?`}
            confirmLabel="Reset two-factor authentication"
            tone="negative"
            onConfirm={async () => {
              await resetTwoFactor.mutateAsync({ path });
              toasts.add({ title: `Two-factor authentication of ${name} was reset` });
            }}
          >
            Their authenticator app and recovery codes stop working, they are signed out everywhere, and they
            are notified by email. They can then sign in with their password alone
            {user?.twoFactor.required ? ', and must set up two-factor authentication again first' : ''}. Make
            sure that the request comes from them. This cannot be undone.
          </ConfirmAction>
        </>
      }
    >
      <TextField
        name="name"
        label="Name"
        value={draft.name}
        onValueChange={(next) => change({ name: next })}
        autoComplete="off"
        required
      />
      <RadioCards
        name="role"
        label="Role"
        choices={roleCards}
        value={draft.role}
        onValueChange={(role) => change({ role: role as Me['role'] })}
      />
      <SwitchField
        label="Require two-factor authentication"
        hint={
          user?.twoFactor.enabled
            ? 'It is already on. If it is required, it cannot be turned off.'
            : 'They must set up an authenticator app before they can use the dashboard.'
        }
        checked={draft.required}
        onCheckedChange={(required) => change({ required })}
      />
      <SwitchField
        label="Disabled"
        hint="They are signed out immediately and cannot sign in until you turn this off."
        checked={draft.disabled}
        onCheckedChange={(disabled) => change({ disabled })}
      />
    </EditDrawer>
  );
}
