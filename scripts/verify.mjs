/** `npm run verify`: format, lint, types, documents. No database, no build; well under a minute. */
import { availableParallelism } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exec } from './lib/exec.mjs';
import * as documentChecks from './lib/document-checks.mjs';
import { workspaces } from './lib/files.mjs';
import { prepare, toolEnv } from './lib/install.mjs';
import { colour, exitWith, say } from './lib/log.mjs';
import { inRoot, node24, root } from './lib/paths.mjs';
import * as projectChecks from './lib/project-checks.mjs';

const tool = (name) => inRoot('node_modules/.bin', name);

/** Runs a tool; its output is the complaint. The tools that are scripts run on our Node, whatever the machine's is. */
async function passes(command, args) {
  const { code, output } = await exec(command, args, {
    cwd: root,
    env: toolEnv({ NO_COLOR: '1' }),
    allowFailure: true,
  });
  return code === 0 ? [] : [output.trimEnd()];
}

function typeChecks() {
  return workspaces()
    .filter(({ dir }) => existsSync(inRoot(dir, 'tsconfig.json')))
    .map(({ dir }) => ({
      name: `types: ${dir || 'scripts'}`,
      run: () => passes(node24, [tool('tsc'), '-p', join(dir || '.', 'tsconfig.json')]),
    }));
}

const projectCheck = (name, check) => ({ name, run: async () => check() });

/**
 * @returns {Promise<{ passed: number, failed: number }>} how many checks; every complaint has been printed
 */
export async function verify() {
  const checks = [
    {
      name: 'format (npm run format fixes it)',
      run: () => passes(node24, [tool('prettier'), '--check', '.']),
    },
    { name: 'lint', run: () => passes(node24, [tool('oxlint'), '--deny-warnings']) },
    ...typeChecks(),
    projectCheck('documents: every path exists', documentChecks.deadPathsInDocs),
    projectCheck('documents: every file that a README names exists', documentChecks.deadNamesInReadmes),
    projectCheck('comments: every document that they cite exists', documentChecks.deadCitations),
    projectCheck('documents: every dependency is explained', projectChecks.undocumentedDependencies),
    projectCheck('dependencies: exact versions', projectChecks.looseVersions),
    projectCheck('dependencies: the lock file is complete', projectChecks.gapsInLockFile),
    projectCheck('no host of a package registry', projectChecks.registryHosts),
    projectCheck('no clock in a pure folder', projectChecks.clocksInPureFolders),
    projectCheck('a pure folder imports pure folders only', projectChecks.impureImports),
    projectCheck('no cycle of folders', projectChecks.folderCycles),
    projectCheck('core exports what others import', projectChecks.unusedExportsOfCore),
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await prepare({ build: [] });
    const { passed, failed } = await verify();
    say(`\n${passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } catch (error) {
    exitWith(error);
  }
}
