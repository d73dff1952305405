'use client';

import { Button, Form, Notice, TextField, TextLink } from '@clarion/ui';
import { useState } from 'react';
import { askAccess } from '../../../../lib/session/access.ts';
import { SignedOutCard } from '../SignedOutCard.tsx';

export function ForgotPasswordPage() {
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [sentTo, setSentTo] = useState<string | null>(null);

  async function submit(values: FormData): Promise<void> {
    const email = String(values.get('email'));
    setBusy(true);
    const said = await askAccess('forgot-password', { email });
    setBusy(false);
    if ('errors' in said) return setErrors(said.errors);
    setSentTo(email);
  }

  return (
    <SignedOutCard
      title="Forgot your password"
      description="We mail you a link with which you choose a new one."
      footer={<TextLink href="/app/sign-in">Back to signing in</TextLink>}
    >
      {sentTo === null ? (
        <Form errors={errors} busy={busy} onSubmit={submit}>
          <TextField name="email" label="Email" type="email" autoComplete="username" required focusFirst />
          <Button type="submit" tone="accent" size="lg" busy={busy}>
            Mail me a link
          </Button>
        </Form>
      ) : (
        <Notice tone="positive" title="Look into your mail">
          If {sentTo} has an account, a link is on its way. It works once and for an hour. Nothing came? Look
          into the spam folder, or ask an owner of your account.
        </Notice>
      )}
    </SignedOutCard>
  );
}
