'use client';

import { Check, Copy } from 'lucide-react';
import { useCopy } from '../shared/copy-text.ts';
import { Button } from './Button.tsx';
import { IconButton } from './IconButton.tsx';

export interface CopyButtonProps {
  text: string;
  /** Shown next to the icon. Without it, the button is only an icon, named "Copy". */
  label?: string;
  className?: string;
}

const labels = { idle: 'Copy', copied: 'Copied', failed: 'The browser does not allow copying here' } as const;

export function CopyButton({ text, label, className }: CopyButtonProps) {
  const { state, copy } = useCopy();
  const icon = state === 'copied' ? <Check className="text-positive" aria-hidden /> : <Copy aria-hidden />;
  const shared = { size: 'sm', onClick: () => copy(text), className: className ?? '' } as const;
  return (
    <>
      {label === undefined ? (
        <IconButton label={labels[state]} icon={icon} {...shared} />
      ) : (
        <Button icon={icon} {...shared} className={`[&_svg]:size-4 ${className ?? ''}`}>
          {state === 'idle' ? label : labels[state]}
        </Button>
      )}
      <span role="status" className="sr-only">
        {state === 'idle' ? '' : labels[state]}
      </span>
    </>
  );
}
