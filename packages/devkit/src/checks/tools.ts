/** The checks that other tools make: format, lint and types. Format and types have caches. */
import { inRoot, node24, root } from '../paths.ts';
import { toolEnv } from '../prepare/tool-env.ts';
import { exec } from '../system/exec.ts';
import type { Check } from './check.ts';
import { rememberFormatted, uncheckedFiles } from './format-cache.ts';
import type { Project } from './project-files.ts';
import { typeGroups, writeTypeConfig } from './type-groups.ts';

/** The tools that are scripts run on Node 24, whatever is installed on the machine. */
async function run(tool: string, args: string[]): Promise<{ code: number; output: string }> {
  return exec(node24, [inRoot('node_modules/.bin', tool), ...args], {
    cwd: root,
    env: toolEnv({ NO_COLOR: '1' }),
    allowFailure: true,
  });
}

const complaintsOf = ({ code, output }: { code: number; output: string }) =>
  code === 0 ? [] : [output.trimEnd()];

export const lintCheck = (): Check => ({
  name: 'lint',
  run: async () => complaintsOf(await run('oxlint', ['--deny-warnings'])),
});

/** Only files that have changed since they were found to be formatted. */
export const formatCheck = (project: Project): Check => ({
  name: 'format (npm run format fixes it)',
  run: async () => {
    const changed = uncheckedFiles(project);
    if (changed.length === 0) return [];
    const result = await run('prettier', ['--check', '--ignore-unknown', ...changed.map(({ path }) => path)]);
    if (result.code === 0) rememberFormatted(project, changed);
    return complaintsOf(result);
  },
});

/**
 * Workspaces with the same compiler options are one program, so that the sources they share are checked once. The threads of tsc would
 * each check the types that they share again, which takes twice the processor time: the programs run side by side instead.
 */
export const typeChecks = (project: Project): Check[] =>
  typeGroups(project).map((group) => ({
    name: `types: ${group.dirs.map((dir) => dir || 'scripts').join(', ')}`,
    run: async () => complaintsOf(await run('tsc', ['--singleThreaded', '-p', writeTypeConfig(group)])),
  }));
