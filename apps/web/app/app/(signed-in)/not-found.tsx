import { NotFoundPage } from './NotFoundPage.tsx';

export default function NotFound() {
  return <NotFoundPage />;
}
