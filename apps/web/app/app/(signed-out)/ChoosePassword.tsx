'use client';

import { Button, Form, Notice, PasswordField, TextField, TextLink } from '@clarion/ui';
import { useEffect, useState } from 'react';
import { NewPasswordField } from '#lib/dashboard/account/NewPasswordField.tsx';
import { askAccess } from '#lib/session/access.ts';
import { signIn } from '#lib/session/sign-in.ts';
import { SignedOutCard } from './SignedOutCard.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import { Waiting } from './Waiting.tsx';
import { useLinkSecret } from './use-link-secret.ts';

interface Holder {
  name: string;
  email: string;
  account: string;
}

interface PasswordSet extends Holder {
  /** Signs in without the attempts that others can use up. */
  ticket: string;
}

interface ChoosePasswordProps {
  kind: 'INVITATION' | 'RESET';
  title: string;
  description(holder: Holder): string;
  /** What to do when the link is no longer valid. */
  instead: { text: string; href: string };
}

/** Sets a password with an emailed link and signs in. */
export function ChoosePassword({ kind, title, description, instead }: ChoosePasswordProps) {
  const token = useLinkSecret();
  const [holder, setHolder] = useState<Holder | null>(null);
  const [over, setOver] = useState<string | null>(null);
  /** Of the password that is set: what is left is to sign in. */
  const [ticket, setTicket] = useState<string | null>(null);
  const [asksCode, setAsksCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});

  useEffect(() => {
    if (token === undefined) return;
    if (token === null) return setOver('Open this page from the link in your email.');
    void askAccess<Holder>('read-link', { kind, token }).then((said) =>
      'errors' in said ? setOver(Object.values(said.errors).join(' ')) : setHolder(said.answer),
    );
  }, [kind, token]);

  async function submit(values: FormData): Promise<void> {
    if (typeof token !== 'string') return;
    if (ticket !== null) return enter(ticket);
    const password = String(values.get('password'));
    if (password !== String(values.get('again'))) {
      return setErrors({ again: 'The passwords do not match.' });
    }
    setBusy(true);
    setErrors({});
    const said = await askAccess<PasswordSet>('set-password', { kind, token, password });
    if ('errors' in said) {
      setBusy(false);
      if (said.code === 'not_found') return setOver(Object.values(said.errors).join(' '));
      return setErrors(said.errors);
    }
    setTicket(said.answer.ticket);
    await enter(said.answer.ticket);
  }

  async function enter(given: string, code = ''): Promise<void> {
    setBusy(true);
    setErrors({});
    const outcome = await signIn('after-link', { ticket: given, ...(code !== '' && { code }) });
    if (outcome.ok) return location.assign('/app');
    setBusy(false);
    if (outcome.why === 'ticket' || outcome.why === 'suspended') return setOver(outcome.words);
    if (outcome.why === 'code') return setAsksCode(true);
    setErrors({ [outcome.why === 'wrong-code' ? 'code' : '']: outcome.words });
  }

  if (over !== null) {
    return (
      <SignedOutCard title={title} footer={<TextLink href={instead.href}>{instead.text}</TextLink>}>
        <Notice tone="negative">{over}</Notice>
      </SignedOutCard>
    );
  }
  if (ticket !== null && asksCode) {
    return <SecondFactor errors={errors} busy={busy} onSubmit={(code) => void enter(ticket, code)} />;
  }
  if (holder === null) {
    return (
      <SignedOutCard title={title}>
        <Waiting text="Checking your link…" />
      </SignedOutCard>
    );
  }
  return (
    <SignedOutCard title={title} description={description(holder)}>
      <Form errors={errors} busy={busy} onSubmit={submit}>
        <TextField name="email" label="Email" autoComplete="username" value={holder.email} readOnly />
        <NewPasswordField focusFirst />
        <PasswordField name="again" label="Repeat password" autoComplete="new-password" required />
        <Button type="submit" tone="accent" size="lg" busy={busy}>
          Save and sign in
        </Button>
      </Form>
    </SignedOutCard>
  );
}
