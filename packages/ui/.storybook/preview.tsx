import type { Preview } from '@storybook/react-vite';
import './preview.css';

const preview: Preview = {
  globalTypes: {
    theme: {
      description: 'Light or dark',
      toolbar: { title: 'Theme', icon: 'contrast', items: ['system', 'light', 'dark'], dynamicTitle: true },
    },
  },
  initialGlobals: { theme: 'system' },
  parameters: { layout: 'centered', a11y: { test: 'error' } },
  decorators: [
    (Story, { globals }) => {
      const theme: unknown = globals['theme'];
      if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
      else delete document.documentElement.dataset['theme'];
      return <Story />;
    },
  ],
};
export default preview;
