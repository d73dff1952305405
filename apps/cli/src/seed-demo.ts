/** Run by `npm start` in trial mode: creates the demo account and its sample history. */
import { seedDemo } from './demo-account/make-demo.ts';
import { addHistory, wantsHistory } from './demo-history/add-history.ts';
import { readEnv } from './env.ts';
import { withOperator } from './operator-context.ts';

const env = readEnv();
await withOperator(env, async (ctx) => {
  await seedDemo(ctx, env);
  if (env.demoHistory && (await wantsHistory(ctx))) await addHistory(ctx);
});
