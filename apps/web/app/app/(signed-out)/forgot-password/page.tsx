import { ForgotPasswordPage } from './ForgotPasswordPage.tsx';

export const metadata = { title: 'Forgot your password' };

export default function Page() {
  return <ForgotPasswordPage />;
}
