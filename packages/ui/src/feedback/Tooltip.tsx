'use client';

import { onDemand } from '../on-demand/on-demand.tsx';
import type { TooltipProps } from './TooltipPopup.tsx';

/** A few words beside what is pointed at or has the focus. */
export const Tooltip = onDemand<TooltipProps>(
  async () => (await import('./TooltipPopup.tsx')).TooltipPopup,
  ({ children }) => children,
);

export type { TooltipProps };
