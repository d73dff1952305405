'use client';

import { Button, Card, Form, FormActions, PasswordField, Section, TextField, useToasts } from '@clarion/ui';
import { useState } from 'react';
import { useSave } from '../../../../lib/dashboard/edit/use-save.ts';
import { useChange } from '../../../../lib/dashboard/queries.ts';

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
  const { formId, errors, busy, save } = useSave();
  const rename = useChange('PATCH', '/v1/me', { invalidates: ['/v1/me'] });
  return (
    <Section title="Your name" description="How colleagues and the audit log name you.">
      <Card>
        <Form
          id={formId}
          errors={errors}
          busy={busy}
          onSubmit={async (values) => {
            const chosen = String(values.get('name'));
            if (await save(() => rename.mutateAsync({ body: { name: chosen } }))) {
              toasts.add({ title: 'Your name was changed' });
            }
          }}
        >
          <TextField name="name" label="Name" defaultValue={name} autoComplete="name" required />
          <FormActions>
            <Button type="submit" busy={busy}>
              Save name
            </Button>
          </FormActions>
        </Form>
      </Card>
    </Section>
  );
}

function Password({ email }: { email: string }) {
  const toasts = useToasts();
  const { formId, errors, busy, save } = useSave();
  const change = useChange('POST', '/v1/me/password', { invalidates: ['/v1/me/sessions'] });
  /** A new one empties the fields. */
  const [round, setRound] = useState(0);
  return (
    <Section title="Password" description="Every other browser in which you are signed in asks for it again.">
      <Card>
        <Form
          key={round}
          id={formId}
          errors={errors}
          busy={busy}
          onSubmit={async (values) => {
            const body = {
              current_password: String(values.get('current_password')),
              password: String(values.get('password')),
            };
            if (!(await save(() => change.mutateAsync({ body })))) return;
            setRound(round + 1);
            toasts.add({ title: 'Your password was changed' });
          }}
        >
          {/* For password managers, which keep the two together. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordField name="current_password" label="Current password" required />
          <PasswordField
            name="password"
            label="New password"
            hint="12 characters or more. Four unrelated words are easy to keep in mind."
            autoComplete="new-password"
            required
          />
          <FormActions>
            <Button type="submit" busy={busy}>
              Change password
            </Button>
          </FormActions>
        </Form>
      </Card>
    </Section>
  );
}
