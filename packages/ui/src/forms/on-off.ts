/** The props that a checkbox and a switch share. */
import type { ReactNode } from 'react';

export interface OnOffProps {
  name?: string;
  label: ReactNode;
  hint?: ReactNode;
  checked?: boolean;
  defaultChecked?: boolean;
  onCheckedChange?(checked: boolean): void;
  disabled?: boolean;
  className?: string;
}

/** The props of the surrounding field. */
export const onOffField = ({ name, disabled = false }: OnOffProps) => ({
  ...(name !== undefined && { name }),
  disabled,
});

/** The props of the control. Without `checked`, it is uncontrolled. */
export const onOffControl = ({ checked, defaultChecked, onCheckedChange }: OnOffProps) => ({
  ...(checked !== undefined && { checked }),
  ...(defaultChecked !== undefined && { defaultChecked }),
  onCheckedChange: (next: boolean) => onCheckedChange?.(next),
});
