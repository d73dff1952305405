import { PasswordField } from '@clarion/ui';

export function NewPasswordField({ focusFirst = false }: { focusFirst?: boolean }) {
  return (
    <PasswordField
      name="password"
      label="New password"
      hint="12 characters or more. Four unrelated words are easy to keep in mind."
      autoComplete="new-password"
      required
      focusFirst={focusFirst}
    />
  );
}
