'use client';

import { ChoosePassword } from '../ChoosePassword.tsx';

export function ResetPasswordPage() {
  return (
    <ChoosePassword
      kind="RESET"
      title="Choose a new password"
      description={({ account }) =>
        `For your Clarion account at ${account}. You will be signed out everywhere else.`
      }
      instead={{ text: 'Request a new link', href: '/app/forgot-password' }}
    />
  );
}
