import type { Meta, StoryObj } from '@storybook/react-vite';
import { Command } from './Command.tsx';

const meta: Meta<typeof Command> = {
  title: 'Command',
  component: Command,
  decorators: [
    (Story) => (
      <div style={{ width: 'min(24rem, 100vw - 2rem)' }}>
        <Story />
      </div>
    ),
  ],
};
export default meta;

type Story = StoryObj<typeof Command>;
export const Short: Story = { args: { text: 'npm run call -- +442071838750' } };
export const Long: Story = {
  args: { text: 'npm run clarion -- consumer create --slug acme --name "Acme Telephones" --json' },
};
