import { AuthCard } from '@clarion/ui';

export const metadata = { title: 'Not found' };

/** Uses plain links, because every page loads the code of this one. */
export default function NotFound() {
  return (
    <AuthCard
      title="Page not found"
      description="The address may be wrong, or the page may have been deleted."
    >
      <p className="flex flex-wrap gap-x-6 gap-y-2 text-md">
        <a className="cl-focus rounded-md text-accent underline underline-offset-4" href="/app">
          Go to the dashboard
        </a>
        <a className="cl-focus rounded-md text-accent underline underline-offset-4" href="/docs">
          Read the documentation
        </a>
      </p>
    </AuthCard>
  );
}
