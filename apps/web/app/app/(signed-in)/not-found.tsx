import { NoSuchPage } from './NoSuchPage.tsx';

export default function NotFound() {
  return <NoSuchPage />;
}
