/** What a checkbox and a switch have in common. */
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

/** For the field around it. */
export const onOffField = ({ name, disabled = false }: OnOffProps) => ({
  ...(name !== undefined && { name }),
  disabled,
});

/** For the control: what it is not given, it keeps by itself. */
export const onOffControl = ({ checked, defaultChecked, onCheckedChange }: OnOffProps) => ({
  ...(checked !== undefined && { checked }),
  ...(defaultChecked !== undefined && { defaultChecked }),
  onCheckedChange: (next: boolean) => onCheckedChange?.(next),
});
