import { exec } from './exec.ts';
import { step, UserError } from '../terminal/log.ts';

const APT_TIMEOUT_MS = 10 * 60_000;

/** The packages of `names` that dpkg does not have; all of them on a system without dpkg. */
async function missingPackages(names: string[]): Promise<string[]> {
  const { output } = await exec('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n', ...names], {
    allowFailure: true,
  });
  const installed = new Set(
    output
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return names.filter((name) => !installed.has(name));
}

/**
 * Ensures that Debian packages are installed. As root it installs them, otherwise it throws an error with the command to run. `purpose`
 * completes "installing … for".
 */
export async function ensurePackages(names: string[], purpose: string): Promise<void> {
  const missing = await missingPackages(names);
  if (missing.length === 0) return;
  const command = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  const hasApt = (await exec('apt-get', ['--version'], { allowFailure: true })).code === 0;
  if (!hasApt) throw new UserError(`${purpose} requires these Debian packages: ${missing.join(' ')}`);
  if (process.getuid?.() !== 0)
    throw new UserError(`${purpose} requires Debian packages. Run once:\n\n  sudo sh -c '${command}'\n`);

  await step(`installing ${missing.join(', ')} for ${purpose}`, async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = ['install', '-y', '--no-install-recommends', ...missing];
    const options = { env, timeoutMs: APT_TIMEOUT_MS };
    // Package lists may be missing or out of date (container images); the first attempt then fails quickly.
    const first = await exec('apt-get', install, { ...options, allowFailure: true });
    if (first.code === 0) return;
    await exec('apt-get', ['update'], options);
    await exec('apt-get', install, options);
  });
}
