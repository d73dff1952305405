'use client';

import { Button, Card, FormActions, PasswordField, Section, TextField, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { NewPasswordField } from '#lib/dashboard/account/NewPasswordField.tsx';
import { SaveForm } from '#lib/dashboard/edit/SaveForm.tsx';
import { useChange } from '#lib/dashboard/queries.ts';

export function NameAndPassword({ name, email }: { name: string; email: string }) {
  return (
    <>
      <Name name={name} />
      <Password email={email} />
    </>
  );
}

function Name({ name }: { name: string }) {
  const toasts = useToasts();
  const rename = useChange('PATCH', '/v1/me', { invalidates: ['/v1/me'] });
  return (
    <Section title="Your name" description="Shown to colleagues and in the audit log.">
      <Card>
        <SaveForm
          onSave={(values) => rename.mutateAsync({ body: { name: String(values.get('name')) } })}
          onSaved={() => toasts.add({ title: 'Your name was changed' })}
        >
          {(busy) => (
            <>
              <TextField name="name" label="Name" defaultValue={name} autoComplete="name" required />
              <FormActions>
                <Button type="submit" busy={busy}>
                  Save name
                </Button>
              </FormActions>
            </>
          )}
        </SaveForm>
      </Card>
    </Section>
  );
}

function Password({ email }: { email: string }) {
  const toasts = useToasts();
  const change = useChange('POST', '/v1/me/password', { invalidates: ['/v1/me/sessions'] });
  /** A new key clears the fields. */
  const [round, setRound] = useState(0);
  return (
    <Section title="Password" description="Changing your password signs you out in all other browsers.">
      <Card>
        <SaveForm
          key={round}
          onSave={(values) =>
            change.mutateAsync({
              body: {
                current_password: String(values.get('current_password')),
                password: String(values.get('password')),
              },
            })
          }
          onSaved={() => {
            setRound(round + 1);
            toasts.add({ title: 'Your password was changed' });
          }}
        >
          {(busy) => (
            <>
              {/* For password managers, which keep the two together. */}
              <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
              <PasswordField name="current_password" label="Current password" required />
              <NewPasswordField />
              <FormActions>
                <Button type="submit" busy={busy}>
                  Change password
                </Button>
              </FormActions>
            </>
          )}
        </SaveForm>
      </Card>
    </Section>
  );
}
