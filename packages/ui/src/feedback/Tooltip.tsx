'use client';

import { onDemand } from '../on-demand/on-demand.tsx';
import type { TooltipProps } from './TooltipPopup.tsx';

/** A short text next to the element that is hovered or focused. */
export const Tooltip = onDemand<TooltipProps>(
  async () => (await import('./TooltipPopup.tsx')).TooltipPopup,
  ({ children }) => children,
);

export type { TooltipProps };
