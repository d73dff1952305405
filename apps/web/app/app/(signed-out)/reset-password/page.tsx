import { ResetPasswordPage } from './ResetPasswordPage.tsx';

export const metadata = { title: 'Choose a new password' };

export default function Page() {
  return <ResetPasswordPage />;
}
