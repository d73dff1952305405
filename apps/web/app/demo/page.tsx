import { demo } from '@clarion/core/demo-account';
import { Command, TextLink } from '@clarion/ui';
import type { Metadata } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { customerPage } from '#lib/demo.ts';
import { DemoPhone } from './DemoPhone.tsx';

export const metadata: Metadata = { title: 'Agent phone' };

interface DemoPageProps {
  searchParams: Promise<{ agent?: string | string[] }>;
}

/** The demo: the phone of a demo agent, and how to make it ring. */
export default async function DemoPage({ searchParams }: DemoPageProps) {
  const { agent: asked } = await searchParams;
  const whatsApp = customerPage();
  const agent = demo.agents.find(({ ref }) => ref === asked) ?? demo.agents[0];

  return (
    <main className="min-h-dvh bg-canvas font-sans text-base text-ink">
      <div className="mx-auto grid max-w-5xl items-start gap-x-16 gap-y-10 px-4 py-8 lg:grid-cols-[minmax(0,1fr)_26.25rem] lg:px-8 lg:py-16">
        <div className="order-2 flex max-w-xl flex-col gap-9 lg:order-1 lg:pt-4">
          <header className="flex flex-col gap-3">
            <p className="text-sm font-semibold text-accent">Clarion</p>
            <h1 className="text-[2rem] leading-tight font-semibold tracking-tight text-balance">
              Take a call in this browser
            </h1>
            <p className="text-lg text-pretty text-muted">
              This is {agent.name}’s phone. A call to {demo.lines.support.displayName.toLowerCase()} rings
              here, over the same SIP and audio path as a carrier call.
            </p>
          </header>

          <ol className="flex flex-col gap-7">
            <Step number={1} title="Make the phone ring">
              <p>In a second terminal, in the same folder, run:</p>
              <Command text={`npm run call -- ${demo.lines.support.address}`} />
              <p>Answer the call here. You hear a greeting, then your own voice.</p>
              {whatsApp !== null && (
                <p>
                  Or call over WhatsApp: open the{' '}
                  <TextLink href={whatsApp} target="_blank">
                    customer’s phone
                  </TextLink>{' '}
                  and press Call.
                </p>
              )}
            </Step>
            <Step number={2} title="Place a call">
              <p>
                Dial any number on the phone. The demo carrier answers, greets you and echoes your voice. To
                answer in a terminal instead, run:
              </p>
              <Command text="npm run call -- --answer" />
            </Step>
            <Step number={3} title="Add a second agent">
              <p>
                Open a second agent in another window. The queue offers each call to one agent at a time.
                Calls to <span className="tabular-nums">{demo.lines.ada.address}</span> ring{' '}
                {demo.agents[0].name} only.
              </p>
              <AgentSwitch current={agent.ref} />
            </Step>
          </ol>
        </div>

        <div className="order-1 flex justify-center lg:sticky lg:top-10 lg:order-2">
          <div className="h-160 w-full max-w-96">
            <DemoPhone key={agent.ref} agentRef={agent.ref} />
          </div>
        </div>
      </div>
    </main>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-4">
      <span
        aria-hidden
        className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent"
      >
        {number}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2.5 pt-1 text-muted">
        <h2 className="text-lg leading-snug font-semibold text-ink">{title}</h2>
        {children}
      </div>
    </li>
  );
}

function AgentSwitch({ current }: { current: string }) {
  return (
    <nav aria-label="Demo agents" className="flex flex-wrap gap-2">
      {demo.agents.map(({ ref, name }) => (
        <Link
          key={ref}
          href={`/demo?agent=${ref}`}
          aria-current={ref === current ? 'page' : undefined}
          target={ref === current ? undefined : '_blank'}
          className="cl-focus inline-flex min-h-11 items-center rounded-control border border-line bg-surface px-4 font-medium text-ink transition-colors hover:bg-raised aria-[current]:border-accent aria-[current]:text-accent"
        >
          {ref === current ? `${name}, this window` : `Open ${name}’s phone`}
        </Link>
      ))}
    </nav>
  );
}
