'use client';

import { ChoosePassword } from '../ChoosePassword.tsx';

export function InvitationPage() {
  return (
    <ChoosePassword
      kind="INVITATION"
      title="Welcome to Clarion"
      description={({ name, account }) => `${name}, choose a password for the dashboard of ${account}.`}
      instead={{ text: 'I already have a password', href: '/app/sign-in' }}
    />
  );
}
