/** Run by `npm start` on the embedded defaults. */
import { addHistory, wantsHistory } from '../demo/add-history.ts';
import { readEnv } from './env.ts';
import { seedDemo } from './make-demo.ts';
import { withOperator } from './operator-context.ts';

const env = readEnv();
await withOperator(env, async (ctx) => {
  await seedDemo(ctx, env);
  if (env.demoHistory && (await wantsHistory(ctx))) await addHistory(ctx);
});
