import { admit } from '#lib/session/admit.ts';
import { AuditPage } from './AuditPage.tsx';

export const metadata = { title: 'Audit log' };

export default async function Page() {
  await admit({ role: 'manage' });
  return <AuditPage />;
}
