import type { RadioCard } from '@clarion/ui';
import { StrategyPicture } from './StrategyPicture.tsx';
import { strategies, strategyNames, strategyNotes } from './strategies.ts';

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
