/** `npm run bench -- <name> [options]`: runs bench/<name>.ts; without a name, says what there is. */
import { dispatch } from './lib/dispatch.ts';

await dispatch('bench', process.argv.slice(2));
