/** `npm run prove -- <name> [options]`: runs prove/<name>.ts; without a name, says what there is. */
import { dispatch } from './lib/dispatch.ts';

await dispatch('prove', process.argv.slice(2));
