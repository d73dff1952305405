'use client';

import { Button, ButtonLink, Card, Command, Section, TextLink } from '@clarion/ui';
import { useEffect, useState, type ReactNode } from 'react';
import { tenantHome } from '#lib/dashboard/navigation.tsx';

const HIDDEN = 'clarion-hear-call-hidden';

export interface DemoCalls {
  /** The number to call. */
  number: string;
  /** The page that plays a WhatsApp customer; null if WhatsApp is not simulated. */
  customerPage: string | null;
}

/** A guide to the first call in the demo account. Hidden permanently once dismissed. */
export function TestCallGuide({ tenantRef, demo }: { tenantRef: string; demo: DemoCalls }) {
  const [shown, setShown] = useState(false);
  useEffect(() => setShown(localStorage.getItem(HIDDEN) === null), []);
  if (!shown) return null;
  const hide = () => {
    localStorage.setItem(HIDDEN, '1');
    setShown(false);
  };
  const at = (page: string) => `${tenantHome(tenantRef)}/${page}`;
  return (
    <Section
      title="Hear a call now"
      description="Takes two minutes, in this browser and one terminal. Nothing leaves this machine."
      actions={
        <Button size="sm" onClick={hide}>
          Hide
        </Button>
      }
    >
      <Card>
        <ol className="grid gap-6 md:grid-cols-3">
          <Step number={1} title="Sign in as an agent">
            <p>Open Ada’s phone in a new tab, allow the microphone and press Take calls.</p>
            <ButtonLink tone="accent" href={`${at('phone')}?agent=ada`} target="_blank">
              Open Ada’s phone
            </ButtonLink>
          </Step>
          <Step number={2} title="Make the phone ring">
            <p>In a second terminal, in the same folder, call the Support line:</p>
            <Command text={`npm run call -- ${demo.number}`} />
          </Step>
          <Step number={3} title="Answer the call">
            <p>
              You hear a greeting, then your own voice. The call appears on the live board and, after you hang
              up, in the list of calls with its recording.
            </p>
            <div className="flex flex-wrap gap-2">
              <ButtonLink href={at('live')}>Live board</ButtonLink>
              <ButtonLink href={at('calls')}>Calls</ButtonLink>
            </div>
          </Step>
        </ol>
        {demo.customerPage !== null && (
          <p className="mt-6 border-t border-line pt-4 text-md text-muted">
            A WhatsApp customer can call the same phone: open the{' '}
            <TextLink href={demo.customerPage} target="_blank">
              customer’s phone
            </TextLink>{' '}
            and press Call. WhatsApp is simulated on this machine.
          </p>
        )}
      </Card>
    </Section>
  );
}

const Step = ({ number, title, children }: { number: number; title: string; children: ReactNode }) => (
  <li className="flex min-w-0 flex-col items-start gap-2 text-md text-muted *:max-w-full">
    <h3 className="flex items-center gap-2 font-medium text-ink">
      <span
        aria-hidden
        className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent tabular-nums"
      >
        {number}
      </span>
      {title}
    </h3>
    {children}
  </li>
);
