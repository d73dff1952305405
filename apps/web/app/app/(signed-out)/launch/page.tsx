import { LaunchPage } from './LaunchPage.tsx';

export const metadata = { title: 'Opening the dashboard' };

export default function Page() {
  return <LaunchPage />;
}
