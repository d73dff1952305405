import { BarChart, LineChart, StackedBars } from '../charts/index.ts';
import { Card } from '../layout/Card.tsx';
import { ignore, show, wide, type Story } from './support.tsx';

export default { title: 'Charts', ...wide };

const HOURS = 24;
const data = Array.from({ length: HOURS }, (_, hour) => ({
  hour: `${hour}:00`,
  answered: Math.round(40 * Math.exp(-(((hour - 11) / 5) ** 2))),
  missed: Math.round(8 * Math.exp(-(((hour - 15) / 3) ** 2))),
  wait: hour === 5 ? null : 12 + ((hour * 37) % 23),
}));
const series = [
  { key: 'answered', label: 'Answered' },
  { key: 'missed', label: 'Missed', tone: 'negative' },
] as const;

export const Bars: Story = show(() => (
  <Card>
    <BarChart label="Calls by hour" data={data} series={series} x="hour" />
  </Card>
));

export const Stacked: Story = show(() => (
  <Card>
    <StackedBars
      label="Calls by outcome"
      data={data.slice(6, 20)}
      x="hour"
      series={[...series, { key: 'wait', label: 'Overflowed' }]}
    />
  </Card>
));

export const Lines: Story = show(() => (
  <Card>
    <LineChart
      label="Average wait"
      data={data}
      x="hour"
      format={(seconds) => `${seconds} s`}
      series={[
        { key: 'wait', label: 'Sales' },
        { key: 'answered', label: 'Support' },
        { key: 'missed', label: 'Night service' },
      ]}
    />
  </Card>
));

export const Nothing: Story = show(() => (
  <Card>
    <BarChart label="Calls by hour" data={[]} series={series} x="hour" />
  </Card>
));

export const AsTable: Story = {
  ...Bars,
  play: async ({ canvas, userEvent }) => {
    await userEvent.click(await canvas.findByRole('button', { name: 'Show as table' }));
    ignore();
  },
};
