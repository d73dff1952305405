/** The checks that are made by other tools: format, lint and types. Format and types have caches. */
import { inRoot, node24, root } from '../paths.ts';
import { toolEnv } from '../prepare/tool-env.ts';
import { exec } from '../system/exec.ts';
import type { Check } from './check.ts';
import { rememberFormatted, uncheckedFiles } from './format-cache.ts';
import type { Project } from './project-files.ts';
import { typeGroups, writeTypeConfig } from './type-groups.ts';

/** Runs a tool on Node 24, whichever version is installed on the machine. */
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

/** Checks only files that have changed since their last successful check. */
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
 * Workspaces with the same compiler options are one program, so that shared sources are checked once. tsc runs without threads, because
 * each thread would check the shared types again, which doubles the processor time. The programs run concurrently instead.
 */
export const typeChecks = (project: Project): Check[] =>
  typeGroups(project).map((group) => ({
    name: `types: ${group.dirs.map((dir) => dir || 'scripts').join(', ')}`,
    run: async () => complaintsOf(await run('tsc', ['--singleThreaded', '-p', writeTypeConfig(group)])),
  }));
