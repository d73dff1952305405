/** `npm run prove -- <name> [options]`: runs prove/<name>.ts; without a name, lists the programs. */
import { dispatch } from '@clarion/devkit/program/dispatch';

await dispatch('prove', process.argv.slice(2));
