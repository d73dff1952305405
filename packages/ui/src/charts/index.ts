/** Charts. A separate entry point, so that other pages do not load them. */
export { BarChart, LineChart, StackedBars } from './charts.tsx';
export type { ChartProps, ChartRow, ChartSeries } from './model.ts';
