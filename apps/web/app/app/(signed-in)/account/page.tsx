import { admit } from '#lib/session/admit.ts';
import { AccountPage } from './AccountPage.tsx';

export const metadata = { title: 'Your account and security' };

export default async function Page() {
  await admit({ role: 'view', account: true });
  return <AccountPage />;
}
