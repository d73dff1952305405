import type { RadioCard } from '@clarion/ui';
import { StrategyPicture } from './StrategyPicture.tsx';
import { strategyNames, strategyNotes, type Strategy } from './strategies.ts';

const strategies: readonly Strategy[] = ['ROUND_ROBIN', 'RING_ALL', 'PRIORITY'];

export const strategyChoices: readonly RadioCard[] = strategies.map((value) => ({
  value,
  label: strategyNames[value],
  note: (
    <span className="mt-1 flex flex-col gap-3">
      <span>{strategyNotes[value]}</span>
      <StrategyPicture strategy={value} />
    </span>
  ),
}));
