'use client';

import { Badge, Button, Card, Dialog, PasswordField, Section, TextField, useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { RecoveryCodes } from '#lib/dashboard/account/RecoveryCodes.tsx';
import { TwoFactorSetUp } from '#lib/dashboard/account/TwoFactorSetUp.tsx';
import { SaveForm } from '#lib/dashboard/edit/SaveForm.tsx';
import { invalidate, useChange } from '#lib/dashboard/queries.ts';

interface TwoFactorProps {
  enabled: boolean;
  required: boolean;
  recoveryCodesLeft: number;
}
/** With this many or fewer left, the user is told to create new ones. */
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
      title="Two-factor authentication"
      description="Signing in requires a code from your phone as well as your password, so a stolen password is not enough."
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
              {recoveryCodesLeft <= FEW && '. Create new ones before they run out.'}
            </span>
          )}
          {required && <span className="text-muted">Your account requires it.</span>}
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
        title="Set up two-factor authentication"
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
      <Dialog
        open={open === 'off'}
        onOpenChange={onOpenChange}
        title="Turn off two-factor authentication"
        size="sm"
      >
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
          <p>Your current recovery codes stop working.</p>
          <PasswordField name="password" label="Your password" required focusFirst />
          <Button type="submit" tone="accent" busy={busy}>
            Create new codes
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
        toasts.add({ title: 'Two-factor authentication is off' });
        onDone();
      }}
    >
      {(busy) => (
        <>
          <p>Your password alone will then be enough to sign in.</p>
          <PasswordField name="password" label="Your password" required focusFirst />
          <TextField
            name="code"
            label="Code"
            hint="A code from your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            mono
            required
          />
          <Button type="submit" tone="negative" busy={busy}>
            Turn off two-factor authentication
          </Button>
        </>
      )}
    </SaveForm>
  );
}
