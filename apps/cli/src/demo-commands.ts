/** Commands for the demo account's sample history. */
import type { Command } from 'commander';
import { addHistory } from './demo-history/add-history.ts';
import { clearHistory } from './demo-history/clear-history.ts';
import type { Add } from './options.ts';

export function addDemoCommands(program: Command, add: Add): void {
  const demo = program.command('demo').description('The demo account that `npm start` creates.');
  add(demo, 'history', 'add two weeks of sample calls, so that every page shows data', [], (ctx) =>
    addHistory(ctx),
  );
  add(demo, 'clear-history', 'remove the sample calls and nothing else', [], (ctx) => clearHistory(ctx));
}
