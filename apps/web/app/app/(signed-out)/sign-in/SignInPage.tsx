'use client';

import { Button, Form, PasswordField, TextField, TextLink } from '@clarion/ui';
import { useState } from 'react';
import { signIn } from '#lib/session/sign-in.ts';
import { SecondFactor } from '../SecondFactor.tsx';
import { SignedOutCard } from '../SignedOutCard.tsx';

interface Known {
  email: string;
  password: string;
}
type Step = 'password' | 'code';

/** Email and password, then a code if two-factor authentication is on. */
export function SignInPage({ next, demo }: { next: string; demo: boolean }) {
  const [step, setStep] = useState<Step>('password');
  const [known, setKnown] = useState<Known>({ email: '', password: '' });
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});

  async function submit(given: Known, code: string): Promise<void> {
    setBusy(true);
    setErrors({});
    const outcome = await signIn('password', { ...given, ...(code !== '' && { code }) });
    if (outcome.ok) return location.assign(next);
    setBusy(false);
    setKnown(given);
    if (outcome.why === 'code') return setStep('code');
    if (outcome.why === 'wrong-code') return setErrors({ code: outcome.words });
    setStep('password');
    setErrors({ '': outcome.words });
  }

  if (step === 'password') {
    return (
      <SignedOutCard
        title="Sign in"
        description="to your Clarion dashboard"
        footer={
          <>
            <TextLink href="/app/forgot-password">Forgot your password?</TextLink>
            {demo && (
              <p className="mt-4">
                Trying the demo? Its email address and password are shown in the terminal in which you ran{' '}
                <code className="font-mono text-sm whitespace-nowrap">npm start</code>.
              </p>
            )}
          </>
        }
      >
        <Form
          errors={errors}
          busy={busy}
          onSubmit={(values) =>
            submit({ email: String(values.get('email')), password: String(values.get('password')) }, '')
          }
        >
          <TextField
            name="email"
            label="Email"
            type="email"
            autoComplete="username"
            defaultValue={known.email}
            required
            focusFirst
          />
          <PasswordField name="password" label="Password" required />
          <Button type="submit" tone="accent" size="lg" busy={busy}>
            Sign in
          </Button>
        </Form>
      </SignedOutCard>
    );
  }
  return <SecondFactor errors={errors} busy={busy} onSubmit={(code) => void submit(known, code)} />;
}
