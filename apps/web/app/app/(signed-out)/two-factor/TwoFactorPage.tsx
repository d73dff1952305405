'use client';

import { Button } from '@clarion/ui';
import { TwoFactorSetUp } from '#lib/dashboard/account/TwoFactorSetUp.tsx';
import { signOut } from '#lib/session/sign-out.ts';
import { SignedOutCard } from '../SignedOutCard.tsx';

export const TwoFactorPage = () => (
  <SignedOutCard
    title="Set up two-factor authentication"
    description="Your account requires a code from your phone in addition to your password."
    footer={
      <Button tone="plain" onClick={() => void signOut()}>
        Sign out
      </Button>
    }
  >
    <TwoFactorSetUp onDone={() => location.assign('/app')} />
  </SignedOutCard>
);
