import { PasswordField } from '@clarion/ui';

export function NewPasswordField({ focusFirst = false }: { focusFirst?: boolean }) {
  return (
    <PasswordField
      name="password"
      label="New password"
      hint="At least 12 characters. Four unrelated words are easy to remember."
      autoComplete="new-password"
      required
      focusFirst={focusFirst}
    />
  );
}
