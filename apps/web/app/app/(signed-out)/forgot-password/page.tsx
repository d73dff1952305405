import { ForgotPasswordPage } from './ForgotPasswordPage.tsx';

export const metadata = { title: 'Reset your password' };

export default function Page() {
  return <ForgotPasswordPage />;
}
