import { DateTime, Duration, formatDay, TextLink, type Column } from '@clarion/ui';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { formatRate } from '#lib/dashboard/rate-decks/format-rate.ts';
import {
  carrierCostOf,
  marginOf,
  methodText,
  quantityText,
  trunkText,
  usageName,
  type Amount,
  type UsageRecord,
} from '#lib/dashboard/usage/usage-figures.ts';

export const columns: Column<UsageRecord>[] = [
  {
    key: 'time',
    header: 'Time',
    nowrap: true,
    cell: ({ day, createdAt }) => (day === null ? <DateTime at={createdAt} /> : formatDay(day)),
  },
  { key: 'tenant', header: 'Tenant', cell: ({ tenantRef }) => tenantRef },
  { key: 'usage', header: 'Usage', cell: (record) => <UsageCell record={record} /> },
  {
    key: 'connected',
    header: 'Connected',
    align: 'end',
    hideBelow: 'sm',
    cell: (record) => <ConnectedCell record={record} />,
  },
  {
    key: 'billed',
    header: 'Billed',
    align: 'end',
    cell: ({ billedSeconds }) => <Duration seconds={billedSeconds} />,
  },
  { key: 'carrier', header: 'Carrier cost', align: 'end', cell: (record) => <CarrierCell record={record} /> },
  {
    key: 'platform',
    header: 'Platform cost',
    align: 'end',
    hideBelow: 'lg',
    cell: ({ platformCost }) => <AmountText of={platformCost} />,
  },
  { key: 'charge', header: 'Charge', align: 'end', cell: (record) => <ChargeCell record={record} /> },
  {
    key: 'margin',
    header: 'Margin',
    align: 'end',
    cell: (record) => <AmountText of={marginOf(record)} isSigned />,
  },
];

/** What is priced, and the conversation in it. Of a recording, its duration; of what is charged by the day, nothing. */
function ConnectedCell({ record: { kind, seconds, connectedSeconds } }: { record: UsageRecord }) {
  if (kind !== 'CALL') return kind === 'RECORDING' ? <Duration seconds={seconds} /> : <None />;
  return (
    <span>
      <Duration seconds={connectedSeconds} />
      <span className="block text-sm whitespace-nowrap text-muted">
        talk <Duration seconds={seconds} />
      </span>
    </span>
  );
}

function UsageCell({ record }: { record: UsageRecord }) {
  const { callId, tenantRef } = record;
  const details = quantityText(record) ?? trunkText(record);
  const name = usageName(record);
  return (
    <span>
      {callId === null ? name : <TextLink href={`${tenantHome(tenantRef)}/calls/${callId}`}>{name}</TextLink>}
      {details !== null && <span className="block text-sm text-muted">{details}</span>}
    </span>
  );
}

function CarrierCell({ record }: { record: UsageRecord }) {
  const { kind, carrierCost } = record;
  const cost = carrierCostOf(record);
  if (cost !== null || kind !== 'CALL') return <AmountText of={cost} />;
  return <span className="inline-block max-w-56 text-sm text-pretty text-muted">{carrierCost.reason}</span>;
}

function ChargeCell({ record: { tenantCharges } }: { record: UsageRecord }) {
  const [charge] = tenantCharges;
  if (!charge) return <None />;
  return (
    <span>
      <AmountText of={charge} />
      <span className="block text-sm whitespace-nowrap text-muted">{methodText(charge)}</span>
    </span>
  );
}

export function AmountText({ of, isSigned = false }: { of: Amount | null; isSigned?: boolean }) {
  if (of === null) return <None />;
  const isLoss = isSigned && of.amount.startsWith('-');
  return (
    <span className={`whitespace-nowrap tabular-nums ${isLoss ? 'text-negative-text' : ''}`}>
      {formatRate(of.amount)} <span className="text-sm text-muted">{of.currency}</span>
    </span>
  );
}

const None = () => (
  <span className="text-muted" aria-label="None">
    –
  </span>
);
