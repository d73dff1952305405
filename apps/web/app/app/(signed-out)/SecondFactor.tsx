'use client';

import { Button, CodeField, Form, TextField } from '@clarion/ui';
import { useState } from 'react';
import { SignedOutCard } from './SignedOutCard.tsx';

interface SecondFactorProps {
  errors: Record<string, string>;
  busy: boolean;
  onSubmit(code: string): void;
}

/** A code of the authenticator app, or a recovery code. */
export function SecondFactor({ errors, busy, onSubmit }: SecondFactorProps) {
  const [isRecovery, setIsRecovery] = useState(false);
  return (
    <SignedOutCard
      title={isRecovery ? 'Use a recovery code' : 'Enter your code'}
      description={
        isRecovery
          ? 'Enter one of the recovery codes that you saved. Each code works once.'
          : 'Enter the six-digit code from your authenticator app.'
      }
      footer={
        <Button tone="plain" onClick={() => setIsRecovery(!isRecovery)}>
          {isRecovery ? 'Use authenticator app' : 'Use a recovery code'}
        </Button>
      }
    >
      <Form
        key={String(isRecovery)}
        errors={errors}
        busy={busy}
        onSubmit={(values) => onSubmit(String(values.get('code')))}
      >
        {isRecovery ? (
          <TextField name="code" label="Recovery code" autoComplete="off" required focusFirst mono />
        ) : (
          <CodeField
            name="code"
            label="Code"
            focusFirst
            onComplete={(code) => {
              if (!busy) onSubmit(code);
            }}
          />
        )}
        <Button type="submit" tone="accent" size="lg" busy={busy}>
          Sign in
        </Button>
      </Form>
    </SignedOutCard>
  );
}
