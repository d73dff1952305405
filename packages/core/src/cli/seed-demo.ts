/** Run by `npm start` on the embedded defaults. */
import { readEnv } from './env.ts';
import { seedDemo } from './make-demo.ts';
import { withOperator } from './operator-context.ts';

const env = readEnv();
await withOperator(env, (ctx) => seedDemo(ctx, env));
