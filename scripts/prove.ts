/** `npm run prove -- <name> [options]`: runs prove/<name>.ts; without a name, says what there is. */
import { dispatch } from '@clarion/devkit/program/dispatch';

await dispatch('prove', process.argv.slice(2));
