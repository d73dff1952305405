import { Section, Table, type Column } from '@clarion/ui';
import { totalsOf, type CurrencyTotals, type UsageRecord } from '#lib/dashboard/usage/usage-figures.ts';
import { AmountText } from './columns.tsx';

interface UsageTotalsProps {
  records: readonly UsageRecord[];
  /** The page shows all records of the period. */
  isAll: boolean;
}

/** The sums of the records on this page, by currency: amounts are never converted. */
export function UsageTotals({ records, isAll }: UsageTotalsProps) {
  const totals = totalsOf(records);
  if (totals.length === 0) return null;
  return (
    <Section
      title={isAll ? 'Totals' : 'Totals of this page'}
      description="By currency. The margin includes only records whose cost and charge are known and in one currency."
    >
      <Table
        label="Totals by currency"
        columns={columns}
        rows={totals}
        rowKey={({ currency }) => currency}
        stacked
        empty={null}
      />
    </Section>
  );
}

const total = (key: Exclude<keyof CurrencyTotals, 'currency'>, header: string): Column<CurrencyTotals> => ({
  key,
  header,
  align: 'end',
  cell: (row) => (
    <AmountText
      of={row[key] === null ? null : { amount: row[key], currency: row.currency }}
      isSigned={key === 'margin'}
    />
  ),
});

const columns: Column<CurrencyTotals>[] = [
  { key: 'currency', header: 'Currency', cell: ({ currency }) => currency },
  total('carrier', 'Carrier cost'),
  total('platform', 'Platform cost'),
  total('charged', 'Charges'),
  total('margin', 'Margin'),
];
