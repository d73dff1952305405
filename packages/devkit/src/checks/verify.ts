/** The checks of `npm run verify`: format, lint, types, documents. They need no database and no build. */
import { availableParallelism } from 'node:os';
import { colour, say } from '../terminal/log.ts';
import type { Check } from './check.ts';
import { looseVersions, registryHosts, undocumentedDependencies } from './dependencies.ts';
import { deadCitations, deadNamesInReadmes, deadPathsInDocs } from './documents.ts';
import { clocksInPureFolders, folderCycles, impureImports, unusedExportsOfCore } from './folders.ts';
import { gapsInLockFile } from './lock-file.ts';
import { repository, type Project } from './project-files.ts';
import { formatCheck, lintCheck, typeChecks } from './tools.ts';

const PROJECT_CHECKS: [name: string, check: (project: Project) => string[]][] = [
  ['documents: every path exists', deadPathsInDocs],
  ['documents: every file that a README refers to exists', deadNamesInReadmes],
  ['comments: every document that they cite exists', deadCitations],
  ['documents: every dependency is explained', undocumentedDependencies],
  ['dependencies: exact versions', looseVersions],
  ['dependencies: the lock file is complete', gapsInLockFile],
  ['no host of a package registry', registryHosts],
  ['no clock in a pure folder', clocksInPureFolders],
  ['a pure folder imports pure folders only', impureImports],
  ['no cycle of folders', folderCycles],
  ['core exports what others import', unusedExportsOfCore],
];

/** Runs every check and prints its complaints. */
export async function verify(): Promise<{ passed: number; failed: number }> {
  const project = repository();
  const checks: Check[] = [
    formatCheck(project), // the slowest checks come first
    ...typeChecks(project),
    lintCheck(),
    ...PROJECT_CHECKS.map(([name, check]) => ({ name, run: async () => check(project) })),
  ];
  let failed = 0;
  const waiting = [...checks];
  const workOff = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const complaints = await check.run();
      say(`${complaints.length === 0 ? colour.green('✓') : colour.red('✗')} ${check.name}`);
      complaints.forEach((line) => say(line.replaceAll(/^/gm, '    ')));
      if (complaints.length > 0) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, workOff));
  return { passed: checks.length - failed, failed };
}
