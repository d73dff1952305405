import { admit } from '#lib/session/admit.ts';
import { UsersPage } from './UsersPage.tsx';

export const metadata = { title: 'People' };

export default async function Page() {
  await admit({ role: 'own', account: true });
  return <UsersPage />;
}
