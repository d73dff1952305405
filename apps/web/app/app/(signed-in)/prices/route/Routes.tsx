import { Badge, Card, DescriptionList, Grid, Notice, Section, TextLink } from '@clarion/ui';
import { useId } from 'react';
import { trunkHref } from '#lib/dashboard/trunks/addresses.ts';
import { deckAddress } from '#lib/dashboard/usage/addresses.ts';
import {
  exclusionWords,
  noPriceText,
  priceText,
  type Route,
  type RoutePrice,
} from '#lib/dashboard/usage/route-rules.ts';
import { formatRate } from '#lib/dashboard/rate-decks/format-rate.ts';
import type { Amount } from '#lib/dashboard/usage/usage-figures.ts';

export function Routes({ routes }: { routes: readonly Route[] }) {
  return (
    <Section title="Trunks" description="Listed in the order they would be tried.">
      <Grid>
        {routes.map((route) => (
          <RouteCard key={route.trunk?.id ?? 'whatsapp'} route={route} />
        ))}
      </Grid>
    </Section>
  );
}

function RouteCard({ route }: { route: Route }) {
  const { trunk, order, excluded, called, caller, costPerMinute, marginPerMinute } = route;
  const id = useId();
  const items = [
    ...(trunk === null
      ? []
      : [
          { term: 'Number called', value: called },
          { term: 'Caller ID', value: caller },
          { term: 'Carrier’s price', value: <Price route={route} of="carrier" /> },
        ]),
    { term: 'Platform’s price', value: <Price route={route} of="platform" /> },
    { term: 'Tenant’s price', value: <Price route={route} of="tenant" /> },
    { term: 'Cost per minute', value: <PerMinute of={costPerMinute} /> },
    { term: 'Margin per minute', value: <PerMinute of={marginPerMinute} isSigned /> },
  ];
  return (
    <Card>
      <article aria-labelledby={id} className="flex flex-col gap-2">
        <header className="flex flex-wrap items-center gap-2">
          <h3 id={id} className="min-w-0 font-semibold wrap-anywhere text-ink">
            {order !== null && `${order}. `}
            {trunk?.owner === 'CONSUMER' ? (
              <TextLink href={trunkHref(trunk)}>{trunk.name}</TextLink>
            ) : (
              (trunk?.name ?? 'WhatsApp')
            )}
          </h3>
          {trunk !== null && <Badge>{trunk.owner === 'CONSUMER' ? 'Own trunk' : 'Platform trunk'}</Badge>}
        </header>
        {excluded !== null && (
          <Notice tone="warning" title={exclusionWords[excluded].title}>
            {exclusionWords[excluded].fix}
          </Notice>
        )}
        <DescriptionList items={items} />
      </article>
    </Card>
  );
}

function Price({ route, of }: { route: Route; of: 'carrier' | 'platform' | 'tenant' }) {
  const price = route[of];
  if (price === null) return <span className="text-muted">{noPriceText(of, route)}</span>;
  return (
    <>
      {priceText(price)}
      {price.entry !== null && <Entry entry={price.entry} />}
    </>
  );
}

const Entry = ({ entry }: { entry: NonNullable<RoutePrice['entry']> }) => (
  <span className="block text-sm text-muted">
    Prefix {entry.prefix}
    {entry.destination !== null && ` (${entry.destination})`} of{' '}
    <TextLink href={deckAddress(entry.deckId)}>{entry.deckName}</TextLink>
  </span>
);

function PerMinute({ of, isSigned = false }: { of: Amount | null; isSigned?: boolean }) {
  if (of === null) return <span className="text-muted">Not known</span>;
  const isLoss = isSigned && of.amount.startsWith('-');
  return (
    <span className={`font-medium tabular-nums ${isLoss ? 'text-negative-text' : ''}`}>
      {formatRate(of.amount)} {of.currency}
    </span>
  );
}
