import type { Meta, StoryObj } from '@storybook/react-vite';
import { useState, type ReactNode } from 'react';

/** Stories of pages and parts of them: over the whole width, with room around. */
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

/** Stories of forms: as wide as a form is. */
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

/** Over the whole page, as it is used. */
export const full = { parameters: { layout: 'fullscreen' } } satisfies Meta;

export type Story = StoryObj;

/** A story that is only drawn. */
export const show = (draw: () => ReactNode): Story => ({ render: () => <Drawn draw={draw} /> });

function Drawn({ draw }: { draw(): ReactNode }) {
  return draw();
}

/** Holds a value for a controlled component. */
export function Held<T>({
  first,
  children,
}: {
  first: T;
  children(value: T, set: (next: T) => void): ReactNode;
}) {
  const [value, set] = useState(first);
  return children(value, set);
}

export const LONG =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft customer care, second floor';
export const ignore = (): void => undefined;
