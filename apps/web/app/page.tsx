import Link from 'next/link';
import { runtime } from '#lib/api/runtime.ts';

export const dynamic = 'force-dynamic';

/** What can be opened in a browser is a link. */
const parts = [
  {
    path: '/docs',
    text: 'The documentation: everything a backend engineer needs to integrate.',
    opens: true,
  },
  { path: '/openapi.json', text: 'The Management API as OpenAPI 3.1.', opens: true },
  {
    path: '/v1',
    text: 'The Management API: your backend provisions tenants, agents, queues and lines, and places calls.',
    opens: false,
  },
  {
    path: '/mcp',
    text: 'For assistants: the documentation and, with an API key, the account.',
    opens: false,
  },
  {
    path: '/socket.io',
    text: 'Agent sockets: what the SDK in an agent’s browser connects to.',
    opens: false,
  },
  { path: '/readyz', text: 'Whether everything this process needs is there.', opens: true },
];
const button =
  'inline-flex w-fit items-center rounded-lg border border-neutral-900 px-5 py-3 font-medium focus-visible:outline-2 focus-visible:outline-offset-2 dark:border-white';
const filled =
  'bg-neutral-900 text-white hover:bg-neutral-700 dark:bg-white dark:text-neutral-900 dark:hover:bg-neutral-200';
const plain = 'hover:bg-neutral-100 dark:hover:bg-neutral-800';

export default function Home() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-2xl flex-col justify-center gap-8 px-6 py-16">
      <header className="space-y-3">
        <h1 className="text-4xl font-semibold tracking-tight">Clarion</h1>
        <p className="text-lg text-neutral-600 dark:text-neutral-300">
          A call engine that your product embeds: customers call a number or are called, agents answer in a
          browser.
        </p>
      </header>
      <nav aria-label="Begin here" className="flex flex-wrap gap-3">
        <Link href="/app" className={`${button} ${filled}`}>
          Open the dashboard
        </Link>
        {runtime().env.CLARION_DEMO && (
          <Link href="/demo" className={`${button} ${plain}`}>
            Open the agent phone
          </Link>
        )}
        <Link href="/docs" className={`${button} ${plain}`}>
          Read the documentation
        </Link>
      </nav>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-3 text-sm">
        {parts.map(({ path, text, opens }) => (
          <div key={path} className="contents">
            <dt className="font-mono">
              {opens ? (
                <a href={path} className="underline underline-offset-4">
                  {path}
                </a>
              ) : (
                path
              )}
            </dt>
            <dd className="text-neutral-600 dark:text-neutral-300">{text}</dd>
          </div>
        ))}
      </dl>
    </main>
  );
}
