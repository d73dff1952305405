import Link from 'next/link';
import { runtime } from '../lib/api/runtime.ts';

export const dynamic = 'force-dynamic';

const parts = [
  {
    path: '/docs',
    text: 'The documentation: everything a backend engineer needs to integrate.',
  },
  {
    path: '/v1',
    text: 'The Management API: your backend provisions tenants, agents, queues and lines, and places calls.',
  },
  { path: '/socket.io', text: 'Agent sockets: what the SDK in an agent’s browser connects to.' },
  { path: '/readyz', text: 'Whether everything this process needs is there.' },
];

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
      {runtime().env.CLARION_DEMO && (
        <Link
          href="/demo"
          className="inline-flex w-fit items-center rounded-lg bg-neutral-900 px-5 py-3 font-medium text-white hover:bg-neutral-700 focus-visible:outline-2 focus-visible:outline-offset-2 dark:bg-white dark:text-neutral-900 dark:hover:bg-neutral-200"
        >
          Open the agent phone
        </Link>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-3 text-sm">
        {parts.map(({ path, text }) => (
          <div key={path} className="contents">
            <dt className="font-mono">{path}</dt>
            <dd className="text-neutral-600 dark:text-neutral-300">{text}</dd>
          </div>
        ))}
      </dl>
    </main>
  );
}
