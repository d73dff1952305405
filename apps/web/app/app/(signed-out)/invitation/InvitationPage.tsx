'use client';

import { ChoosePassword } from '../ChoosePassword.tsx';

export function InvitationPage() {
  return (
    <ChoosePassword
      kind="INVITATION"
      title="Welcome to Clarion"
      description={({ name, account }) => `${name}, choose a password for the dashboard of ${account}.`}
      instead={{ words: 'I have a password already', href: '/app/sign-in' }}
    />
  );
}
