/** `npm run verify`: format, lint, types, documents. No database, no build. */
import { verify } from '@clarion/devkit/checks/verify';
import { prepare } from '@clarion/devkit/prepare/prepare';
import { exitWith, say } from '@clarion/devkit/terminal/log';

try {
  await prepare({ build: [] });
  const { passed, failed } = await verify();
  say(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  exitWith(error);
}
