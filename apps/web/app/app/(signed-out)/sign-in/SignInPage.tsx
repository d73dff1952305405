'use client';

import { AuthCard, Button, Form, PasswordField, TextField } from '@clarion/ui';
import { useState } from 'react';
import { signIn } from '../../../../lib/session/sign-in.ts';

export function SignInPage() {
  const [busy, setBusy] = useState(false);
  const [words, setWords] = useState<string | null>(null);

  async function submit(values: FormData): Promise<void> {
    setBusy(true);
    const outcome = await signIn('password', {
      email: String(values.get('email') ?? ''),
      password: String(values.get('password') ?? ''),
    });
    if (outcome.ok) return location.assign('/app');
    setWords(outcome.words);
    setBusy(false);
  }

  return (
    <AuthCard title="Sign in" description="to your Clarion account">
      <Form errors={words === null ? {} : { '': words }} busy={busy} onSubmit={submit}>
        <TextField name="email" label="Email" type="email" autoComplete="username" required focusFirst />
        <PasswordField name="password" label="Password" required />
        <Button type="submit" tone="accent" size="lg" busy={busy}>
          Sign in
        </Button>
      </Form>
    </AuthCard>
  );
}
