/** Charts, on a page of their own so that other pages do not load them. */
export { BarChart, LineChart, StackedBars } from './charts.tsx';
export type { ChartProps, ChartRow, ChartSeries } from './model.ts';
