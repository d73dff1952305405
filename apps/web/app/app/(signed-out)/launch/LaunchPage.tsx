'use client';

import { Notice } from '@clarion/ui';
import { useEffect, useRef, useState } from 'react';
import { signIn } from '../../../../lib/session/sign-in.ts';
import { SignedOutCard } from '../SignedOutCard.tsx';
import { Waiting } from '../Waiting.tsx';
import { useLinkSecret } from '../use-link-secret.ts';

/** Opens the dashboard for somebody whom their own product sent here with a token. */
export function LaunchPage() {
  const token = useLinkSecret();
  const sent = useRef(false);
  const [trouble, setTrouble] = useState<string | null>(null);

  useEffect(() => {
    if (token === undefined || sent.current) return;
    if (token === null) {
      return setTrouble('This page is opened by your product. Go back to it and open the dashboard there.');
    }
    // The token works once: a second try would be refused.
    sent.current = true;
    void signIn('launch', { token }).then((outcome) =>
      outcome.ok ? location.replace('/app') : setTrouble(outcome.words),
    );
  }, [token]);

  return (
    <SignedOutCard title={trouble === null ? 'Opening your dashboard' : 'The dashboard did not open'}>
      {trouble === null ? <Waiting words="One moment…" /> : <Notice tone="negative">{trouble}</Notice>}
    </SignedOutCard>
  );
}
