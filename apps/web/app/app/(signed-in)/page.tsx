import { admit } from '../../../lib/session/admit.ts';
import { HomePage } from './HomePage.tsx';

export default async function Page() {
  await admit({ role: 'look' });
  return <HomePage />;
}
