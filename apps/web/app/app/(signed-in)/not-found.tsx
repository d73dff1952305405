import { NoSuchPage } from './NoSuchPage.tsx';

export const metadata = { title: 'Not found' };

export default function NotFound() {
  return <NoSuchPage />;
}
