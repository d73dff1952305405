import { expect, test } from 'vitest';
import { missingFromLock } from './lock-file.ts';

test('an optional package is missing unless it is in the node_modules of its dependent, of a parent of it, or of the root', () => {
  const packages = {
    '': { optionalDependencies: { top: '1.0.0' } },
    'node_modules/top': { optionalDependencies: { sibling: '1.0.0', absent: '2.0.0' }, dev: true },
    'node_modules/sibling': { optionalDependencies: { own: '1.0.0' } },
    'node_modules/sibling/node_modules/own': { optionalDependencies: { top: '1.0.0', own: '1.0.0' } },
  };
  expect(missingFromLock({ packages })).toEqual([{ name: 'absent', version: '2.0.0', dev: true }]);
});
