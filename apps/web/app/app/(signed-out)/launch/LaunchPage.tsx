'use client';

import { Button, Notice } from '@clarion/ui';
import { useEffect, useRef, useState } from 'react';
import type { Me } from '#lib/dashboard/me.tsx';
import { request, RequestProblem } from '#lib/dashboard/request.ts';
import { signIn } from '#lib/session/sign-in.ts';
import { SignedOutCard } from '../SignedOutCard.tsx';
import { Waiting } from '../Waiting.tsx';
import { useLinkSecret } from '../use-link-secret.ts';

/** Opens the dashboard with the launch token from the consumer's product. */
export function LaunchPage() {
  const token = useLinkSecret();
  const begun = useRef(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  /** Who is signed in here with a password, and would be signed out: the token waits until they have answered. */
  const [asked, setAsked] = useState<Me | null>(null);

  async function open(given: string): Promise<void> {
    setAsked(null);
    const outcome = await signIn('launch', { token: given });
    if (outcome.ok) location.replace('/app');
    else setTrouble(outcome.words);
  }

  useEffect(() => {
    if (token === undefined || begun.current) return;
    if (token === null) {
      return setTrouble('Open the dashboard from your product.');
    }
    // The token works once: a second attempt would be rejected.
    begun.current = true;
    void staffHere().then((me) => (me === null ? open(token) : setAsked(me)));
  }, [token]);

  if (asked !== null && token) {
    return (
      <SignedOutCard title="Switch user?">
        <div className="flex flex-col gap-5">
          <p role="status" className="text-md text-pretty [overflow-wrap:anywhere]">
            You are signed in as {asked.name} ({asked.email}). Opening this link signs you out of this
            browser.
          </p>
          <div className="flex flex-wrap gap-2">
            <Button tone="accent" size="lg" onClick={() => void open(token)}>
              Continue
            </Button>
            <Button size="lg" onClick={() => location.replace('/app')}>
              Stay signed in
            </Button>
          </div>
        </div>
      </SignedOutCard>
    );
  }
  return (
    <SignedOutCard title={trouble === null ? 'Opening your dashboard' : 'The dashboard did not open'}>
      {trouble === null ? <Waiting text="One moment…" /> : <Notice tone="negative">{trouble}</Notice>}
    </SignedOutCard>
  );
}

/** Null: nobody, or somebody launched before, whom their product sends here again. */
async function staffHere(): Promise<Me | null> {
  try {
    const { me } = await request('GET', '/v1/me', {});
    return me.kind === 'STAFF' ? me : null;
  } catch (problem) {
    // Whoever cannot be asked about is not signed in, or the launch will say what is wrong.
    if (problem instanceof RequestProblem) return null;
    throw problem;
  }
}
