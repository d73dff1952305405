import { InvitationPage } from './InvitationPage.tsx';

export const metadata = { title: 'Your invitation' };

export default function Page() {
  return <InvitationPage />;
}
