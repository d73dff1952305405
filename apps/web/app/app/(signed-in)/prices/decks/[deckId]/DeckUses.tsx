'use client';

import { EmptyState, Section, TextLink } from '@clarion/ui';
import { Link2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DeckDetail, DeckKind } from '#lib/dashboard/rate-decks/resources.ts';
import { trunkHref } from '#lib/dashboard/trunks/addresses.ts';

interface DeckUsesProps {
  kind: DeckKind;
  usage: DeckDetail['usage'];
}

/** The trunks and plans that take their prices from the deck. */
export function DeckUses({ kind, usage: { trunks, plans } }: DeckUsesProps) {
  if (trunks.length + plans.length === 0) {
    return (
      <EmptyState
        icon={<Link2 />}
        title="Nothing uses this rate deck yet"
        className="rounded-panel border border-line bg-surface max-w-none!"
      >
        {kind === 'BUY'
          ? 'A buying deck takes effect when it is set on a SIP trunk: calls on that trunk then have a carrier cost.'
          : 'A selling deck takes effect when a price plan takes its prices from it.'}
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-8">
      {trunks.length > 0 && (
        <Section title="SIP trunks">
          <List>
            {trunks.map((trunk) => (
              <Item key={trunk.id} note={directionsOf(trunk)}>
                <TextLink href={trunkHref(trunk)}>{trunk.name}</TextLink>
              </Item>
            ))}
          </List>
        </Section>
      )}
      {plans.length > 0 && (
        <Section title="Price plans">
          <List>
            {plans.map(({ id, name }) => (
              <Item key={id}>
                <TextLink href={`/app/prices/plans/${id}`}>{name}</TextLink>
              </Item>
            ))}
          </List>
        </Section>
      )}
    </div>
  );
}

function directionsOf({ outbound, inbound }: { outbound: boolean; inbound: boolean }): string {
  if (outbound && inbound) return 'Outbound and inbound calls';
  return outbound ? 'Outbound calls' : 'Inbound calls';
}

const List = ({ children }: { children: ReactNode }) => (
  <ul className="flex flex-col divide-y divide-line rounded-panel border border-line bg-surface">
    {children}
  </ul>
);

const Item = ({ children, note }: { children: ReactNode; note?: string }) => (
  <li className="flex flex-wrap items-baseline justify-between gap-x-4 px-4 py-2.5 sm:px-5">
    {children}
    {note !== undefined && <span className="text-muted">{note}</span>}
  </li>
);
