'use client';

import { Button, Form, Notice, TextField, TextLink } from '@clarion/ui';
import { useState } from 'react';
import { askAccess } from '#lib/session/access.ts';
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
      title="Reset your password"
      description="We will email you a link to choose a new password."
      footer={<TextLink href="/app/sign-in">Back to sign-in</TextLink>}
    >
      {sentTo === null ? (
        <Form errors={errors} busy={busy} onSubmit={submit}>
          <TextField name="email" label="Email" type="email" autoComplete="username" required focusFirst />
          <Button type="submit" tone="accent" size="lg" busy={busy}>
            Send link
          </Button>
        </Form>
      ) : (
        <Notice tone="positive" title="Check your email">
          If {sentTo} has an account, we have sent it a link. The link works once and expires after an hour.
          If it does not arrive, check your spam folder or ask an owner of your account.
        </Notice>
      )}
    </SignedOutCard>
  );
}
