'use client';

import { Badge, Button, Card, Dialog, PasswordField, Section, TextField, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { RecoveryCodes } from '../../../../lib/dashboard/account/RecoveryCodes.tsx';
import { TwoFactorSetUp } from '../../../../lib/dashboard/account/TwoFactorSetUp.tsx';
import { SaveForm } from '../../../../lib/dashboard/edit/SaveForm.tsx';
import { invalidate, useChange } from '../../../../lib/dashboard/queries.ts';

interface TwoFactorProps {
  enabled: boolean;
  required: boolean;
  recoveryCodesLeft: number;
}
/** So few are left that new ones should be made. */
const FEW = 3;

export function TwoFactor({ enabled, required, recoveryCodesLeft }: TwoFactorProps) {
  const client = useQueryClient();
  const [open, setOpen] = useState<'setUp' | 'codes' | 'off' | null>(null);
  const close = () => {
    setOpen(null);
    void invalidate(client, ['/v1/me', '/v1/me/sessions']);
  };
  const onOpenChange = (next: boolean) => (next ? undefined : close());
  return (
    <Section
      title="Two factors"
      description="Besides your password, signing in takes a code from your phone. A password that somebody guessed or stole is then not enough."
    >
      <Card className="flex flex-wrap items-center justify-between gap-4">
        <div className="flex min-w-0 flex-col gap-1">
          <span>
            <Badge tone={enabled ? 'positive' : 'neutral'} dot>
              {enabled ? 'On' : 'Off'}
            </Badge>
          </span>
          {enabled && (
            <span className={recoveryCodesLeft <= FEW ? 'text-warning' : 'text-muted'}>
              {recoveryCodesLeft} recovery {recoveryCodesLeft === 1 ? 'code' : 'codes'} left
              {recoveryCodesLeft <= FEW && '. Make new ones before they run out.'}
            </span>
          )}
          {required && <span className="text-muted">Your account asks you for them.</span>}
        </div>
        <div className="flex flex-wrap gap-2">
          {enabled ? (
            <>
              <Button onClick={() => setOpen('codes')}>New recovery codes</Button>
              {!required && (
                <Button tone="plain" onClick={() => setOpen('off')}>
                  Turn off
                </Button>
              )}
            </>
          ) : (
            <Button tone="accent" onClick={() => setOpen('setUp')}>
              Set up
            </Button>
          )}
        </div>
      </Card>
      <Dialog
        open={open === 'setUp'}
        onOpenChange={onOpenChange}
        title="Set up two factors"
        size="sm"
        keepOpen
      >
        <TwoFactorSetUp onDone={close} />
      </Dialog>
      <Dialog
        open={open === 'codes'}
        onOpenChange={onOpenChange}
        title="New recovery codes"
        size="sm"
        keepOpen
      >
        <NewCodes onDone={close} />
      </Dialog>
      <Dialog open={open === 'off'} onOpenChange={onOpenChange} title="Turn off two factors" size="sm">
        <TurnOff onDone={close} />
      </Dialog>
    </Section>
  );
}

function NewCodes({ onDone }: { onDone(): void }) {
  const renew = useChange('POST', '/v1/me/recovery-codes');
  if (renew.data) return <RecoveryCodes codes={renew.data.recoveryCodes} onDone={onDone} />;
  return (
    <SaveForm onSave={(values) => renew.mutateAsync({ body: { password: String(values.get('password')) } })}>
      {(busy) => (
        <>
          <p>The ones you have now stop working.</p>
          <PasswordField name="password" label="Your password" required focusFirst />
          <Button type="submit" tone="accent" busy={busy}>
            Make new codes
          </Button>
        </>
      )}
    </SaveForm>
  );
}

function TurnOff({ onDone }: { onDone(): void }) {
  const toasts = useToasts();
  const disable = useChange('POST', '/v1/me/two-factor/disable');
  return (
    <SaveForm
      onSave={(values) =>
        disable.mutateAsync({
          body: { password: String(values.get('password')), code: String(values.get('code')) },
        })
      }
      onSaved={() => {
        toasts.add({ title: 'Two factors are off' });
        onDone();
      }}
    >
      {(busy) => (
        <>
          <p>From then on your password alone lets you in, and whoever else knows it.</p>
          <PasswordField name="password" label="Your password" required focusFirst />
          <TextField
            name="code"
            label="A code"
            hint="Of your authenticator, or a recovery code."
            autoComplete="one-time-code"
            mono
            required
          />
          <Button type="submit" tone="negative" busy={busy}>
            Turn off two factors
          </Button>
        </>
      )}
    </SaveForm>
  );
}
