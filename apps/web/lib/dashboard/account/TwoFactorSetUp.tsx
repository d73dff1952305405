'use client';

import { Button, CodeField, CopyButton, Form, PasswordField } from '@clarion/ui';
import { useState } from 'react';
import { useSave } from '../edit/use-save.ts';
import { request } from '../request.ts';
import { QrCode } from './QrCode.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';

interface Seed {
  secret: string;
  otpauthUri: string;
}
type Step = { name: 'password' } | { name: 'scan'; seed: Seed } | { name: 'codes'; codes: readonly string[] };

const GROUP = /.{1,4}/g;

/** Password, then the code to scan, then recovery codes. */
export function TwoFactorSetUp({ onDone }: { onDone(): void }) {
  const [step, setStep] = useState<Step>({ name: 'password' });
  const { formId, errors, busy, save } = useSave();

  async function attempt(work: () => Promise<Step>): Promise<void> {
    await save(async () => setStep(await work()));
  }
  const begin = (password: string) =>
    attempt(async () => {
      const seed = await request('POST', '/v1/me/two-factor', { body: { password } });
      return { name: 'scan', seed };
    });
  const confirm = (code: string) =>
    attempt(async () => {
      const { recoveryCodes } = await request('POST', '/v1/me/two-factor/confirm', { body: { code } });
      return { name: 'codes', codes: recoveryCodes };
    });

  if (step.name === 'codes') return <RecoveryCodes codes={step.codes} onDone={onDone} />;
  if (step.name === 'password') {
    return (
      <Form
        key="password"
        id={formId}
        errors={errors}
        busy={busy}
        onSubmit={(values) => begin(String(values.get('password')))}
      >
        <PasswordField name="password" label="Your password" required focusFirst />
        <Button type="submit" tone="accent" size="lg" busy={busy}>
          Continue
        </Button>
      </Form>
    );
  }
  const { secret, otpauthUri } = step.seed;
  return (
    <Form
      key="scan"
      id={formId}
      errors={errors}
      busy={busy}
      onSubmit={(values) => confirm(String(values.get('code')))}
    >
      <div className="flex flex-col gap-3">
        <p>
          Scan this QR code with an authenticator app, for example Google Authenticator, 1Password or the
          iPhone camera.
        </p>
        <QrCode text={otpauthUri} label="QR code for your authenticator app" />
        <p className="text-muted">
          Cannot scan it? Enter this key:{' '}
          <span className="font-mono break-words text-ink">{secret.match(GROUP)?.join(' ')}</span>{' '}
          <CopyButton text={secret} />
        </p>
      </div>
      <CodeField
        name="code"
        label="Code from the app"
        focusFirst
        onComplete={(code) => void (busy || confirm(code))}
      />
      <Button type="submit" tone="accent" size="lg" busy={busy}>
        Turn on two-factor authentication
      </Button>
    </Form>
  );
}
