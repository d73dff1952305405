import type { Meta, StoryObj } from '@storybook/react-vite';
import { useState, type ReactNode } from 'react';

/** Stories of pages and sections: full width with padding. */
export const wide = {
  parameters: { layout: 'fullscreen' },
  decorators: [
    (Story: () => ReactNode) => (
      <div className="p-4 font-sans text-ink sm:p-8">
        <Story />
      </div>
    ),
  ],
} satisfies Meta;

/** Stories of forms: the width of a form. */
export const narrow = {
  parameters: { layout: 'fullscreen' },
  decorators: [
    (Story: () => ReactNode) => (
      <div className="mx-auto max-w-lg p-4 font-sans text-ink sm:p-8">
        <Story />
      </div>
    ),
  ],
} satisfies Meta;

/** Stories that fill the page. */
export const full = { parameters: { layout: 'fullscreen' } } satisfies Meta;

export type Story = StoryObj;

/** A story without interaction. */
export const show = (draw: () => ReactNode): Story => ({ render: () => <Drawn draw={draw} /> });

function Drawn({ draw }: { draw(): ReactNode }) {
  return draw();
}

/** Provides the state of a controlled component. */
export function Controlled<T>({
  initial,
  children,
}: {
  initial: T;
  children(value: T, set: (next: T) => void): ReactNode;
}) {
  const [value, set] = useState(initial);
  return children(value, set);
}

export const LONG =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft customer care, second floor';
export const ignore = (): void => undefined;
