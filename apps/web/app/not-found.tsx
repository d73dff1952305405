import { AuthCard } from '@clarion/ui';
import Link from 'next/link.js';

export const metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <AuthCard
      title="This page does not exist"
      description="The address may be mistyped, or what it showed may be gone."
    >
      <p className="flex flex-wrap gap-x-6 gap-y-2 text-md">
        <Link className="cl-focus rounded-md text-accent underline underline-offset-4" href="/app">
          Go to the dashboard
        </Link>
        <Link className="cl-focus rounded-md text-accent underline underline-offset-4" href="/docs">
          Read the documentation
        </Link>
      </p>
    </AuthCard>
  );
}
