'use client';

import { RadioCards, SwitchField, TextField, useToasts } from '@clarion/ui';
import { EditDrawer } from '#lib/dashboard/edit/EditDrawer.tsx';
import { useDraft } from '#lib/dashboard/edit/use-draft.ts';
import type { Me } from '#lib/dashboard/me.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import { roleCards } from './roles.ts';

interface Draft {
  name: string;
  email: string;
  role: Me['role'];
  required: boolean;
}

export function InviteDrawer({ open, onClose }: { open: boolean; onClose(): void }) {
  const toasts = useToasts();
  const { draft, change, dirty } = useDraft<Draft>(open, () => ({
    name: '',
    email: '',
    role: 'SUPERVISOR',
    required: false,
  }));
  const invite = useChange('POST', '/v1/users', { invalidates: ['/v1/users'] });
  return (
    <EditDrawer
      open={open}
      onClose={onClose}
      title="Invite a person"
      description="They receive an email with a link to choose a password. The link works once and expires after seven days."
      dirty={dirty}
      saveLabel="Send invitation"
      onSave={async () => {
        const { name, email, role, required } = draft;
        await invite.mutateAsync({ body: { name, email, role, two_factor_required: required } });
        toasts.add({ title: `${name} was invited`, description: `An invitation was sent to ${email}.` });
      }}
    >
      <TextField
        name="name"
        label="Name"
        value={draft.name}
        onValueChange={(name) => change({ name })}
        autoComplete="off"
        required
        focusFirst
      />
      <TextField
        name="email"
        label="Email"
        type="email"
        value={draft.email}
        onValueChange={(email) => change({ email })}
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
        hint="They must set up an authenticator app before they can use the dashboard."
        checked={draft.required}
        onCheckedChange={(required) => change({ required })}
      />
    </EditDrawer>
  );
}
