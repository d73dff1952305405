/** The generated parts of pages written by hand: they cannot drift from the protocol. */
import { errorTable } from '@clarion/protocol';
import { table } from './tables.ts';

const errors = () =>
  table(
    ['Status', 'Code', 'When'],
    Object.entries(errorTable)
      .map(([code, [status, sentence]]) => [String(status), `\`${code}\``, sentence])
      .toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
  );

export const inserts: Readonly<Record<string, () => string>> = { errors };
