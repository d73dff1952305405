/** `npm run bench -- <name> [options]`: runs bench/<name>.ts; without a name, lists the benchmarks. */
import { dispatch } from '@clarion/devkit/program/dispatch';

await dispatch('bench', process.argv.slice(2));
