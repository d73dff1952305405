'use client';

import { CodeBlock, Tabs } from '@clarion/ui';
import { verifySamples } from './verify-samples.ts';

/** How a backend verifies a request, in several languages. */
export const VerifySamples = () => (
  <Tabs
    label="Languages"
    tabs={verifySamples.map(({ value, label, language, text }) => ({
      value,
      label,
      content: <CodeBlock language={language} text={text} />,
    }))}
  />
);
