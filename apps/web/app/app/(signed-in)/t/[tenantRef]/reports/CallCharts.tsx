'use client';

import { Definition, Duration, Section, Table, type Column } from '@clarion/ui';
import { BarChart, LineChart, StackedBars, type ChartRow } from '@clarion/ui/charts';
import {
  bucketName,
  meanings,
  percent,
  serviceLevelMeaning,
  type Bucket,
  type CallReport,
} from '#lib/dashboard/reports/figures.ts';

/** Loaded when it is shown: drawing is no part of other pages. */
export function CallCharts({ report }: { report: CallReport }) {
  const { buckets, interval, timezone, serviceLevel } = report;
  const nameOf = ({ start }: Bucket) => bucketName(start, interval, timezone);
  const rows = buckets.map((bucket): ChartRow => ({
    name: bucketName(bucket.start, interval, timezone, true),
    answered: bucket.answered,
    missed: bucket.missed,
    lost: bucket.lost,
    failed: bucket.failed,
    level: bucket.serviceLevel === null ? null : Math.round(bucket.serviceLevel * 100),
    avgWait: bucket.avgWaitSeconds,
    longestWait: bucket.longestWaitSeconds,
  }));
  return (
    <>
      <Section title="Calls" description="By outcome">
        <StackedBars
          label="Calls by outcome"
          data={rows}
          x="name"
          series={[
            { key: 'answered', label: 'Answered', tone: 'positive' },
            { key: 'missed', label: 'Missed', tone: 'warning' },
            { key: 'lost', label: 'Cancelled', tone: 'neutral' },
            { key: 'failed', label: 'Failed', tone: 'negative' },
          ]}
        />
      </Section>
      <div className="grid gap-8 lg:grid-cols-2 lg:gap-6">
        <Section
          title={
            <Definition term="Service level">{serviceLevelMeaning(serviceLevel.thresholdSeconds)}</Definition>
          }
        >
          <LineChart
            label="Service level"
            data={rows}
            x="name"
            series={[{ key: 'level', label: `Within ${serviceLevel.thresholdSeconds} s`, tone: 'accent' }]}
            format={(value) => `${value}%`}
          />
        </Section>
        <Section title={<Definition term="Wait">{meanings.avgWait}</Definition>}>
          <BarChart
            label="Wait in queues"
            data={rows}
            x="name"
            series={[
              { key: 'avgWait', label: 'Average', tone: 1 },
              { key: 'longestWait', label: 'Longest', tone: 6 },
            ]}
            format={(value) => `${value} s`}
          />
        </Section>
      </div>
      <Section title="Figures">
        <Table<Bucket>
          label="Calls by part of the period"
          columns={columns(nameOf, serviceLevel.thresholdSeconds)}
          rows={buckets}
          rowKey={({ start }) => start}
          empty={null}
        />
      </Section>
    </>
  );
}

const number = (key: keyof Bucket, header: string, meaning: string): Column<Bucket> => ({
  key,
  header: <Definition term={header}>{meaning}</Definition>,
  align: 'end',
  cell: (bucket) => bucket[key],
});

const columns = (nameOf: (bucket: Bucket) => string, seconds: number): Column<Bucket>[] => [
  {
    key: 'start',
    header: 'From',
    nowrap: true,
    cell: (bucket) => <span className="font-medium">{nameOf(bucket)}</span>,
  },
  number('total', 'Calls', meanings.total),
  number('answered', 'Answered', meanings.answered),
  number('missed', 'Missed', meanings.missed),
  number('lost', 'Cancelled', meanings.lost),
  number('failed', 'Failed', meanings.failed),
  number('offered', 'Queued', meanings.offered),
  number('abandoned', 'Abandoned', meanings.abandoned),
  {
    key: 'level',
    header: <Definition term="Service level">{serviceLevelMeaning(seconds)}</Definition>,
    align: 'end',
    nowrap: true,
    cell: ({ serviceLevel }) => percent(serviceLevel),
  },
  {
    key: 'wait',
    header: <Definition term="Average wait">{meanings.avgWait}</Definition>,
    align: 'end',
    cell: ({ avgWaitSeconds }) => <Duration seconds={avgWaitSeconds} clock />,
  },
  {
    key: 'talk',
    header: <Definition term="Average talk">{meanings.avgTalk}</Definition>,
    align: 'end',
    cell: ({ answered, avgTalkSeconds }) => (
      <Duration seconds={answered === 0 ? null : avgTalkSeconds} clock />
    ),
  },
];
