'use client';

import { ChoosePassword } from '../ChoosePassword.tsx';

export function ResetPasswordPage() {
  return (
    <ChoosePassword
      kind="RESET"
      title="Choose a new password"
      description={({ account }) =>
        `For your Clarion account at ${account}. You are signed out everywhere else.`
      }
      instead={{ words: 'Ask for another link', href: '/app/forgot-password' }}
    />
  );
}
