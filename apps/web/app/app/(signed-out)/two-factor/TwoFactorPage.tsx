'use client';

import { Button } from '@clarion/ui';
import { TwoFactorSetUp } from '../../../../lib/dashboard/account/TwoFactorSetUp.tsx';
import { signOut } from '../../../../lib/session/sign-out.ts';
import { SignedOutCard } from '../SignedOutCard.tsx';

export const TwoFactorPage = () => (
  <SignedOutCard
    title="Set up two factors"
    description="Your account asks you for them: besides your password, signing in takes a code from your phone."
    footer={
      <Button tone="plain" onClick={() => void signOut()}>
        Sign out
      </Button>
    }
  >
    <TwoFactorSetUp onDone={() => location.assign('/app')} />
  </SignedOutCard>
);
