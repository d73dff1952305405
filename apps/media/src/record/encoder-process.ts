/** A process that encodes one recording after the other, at the lowest priority: audio of calls goes first. See encoder-pool.ts. */
import { constants, setPriority } from 'node:os';
import { z } from 'zod';
import { encodeSpool } from './encode-spool.ts';
import type { EncodeReply } from './encoder-pool.ts';

const job = z.object({
  id: z.number(),
  spoolPath: z.string(),
  targetPath: z.string(),
  comments: z.array(z.templateLiteral([z.string(), '=', z.string()])),
});

setPriority(constants.priority.PRIORITY_LOW);
// Whoever asked is gone: so is the reason to go on.
process.once('disconnect', () => process.exit(0));
// Ctrl-C in a terminal reaches every process of it; when this one ends is its parent's business.
process.on('SIGINT', () => undefined);
const reply = (message: EncodeReply): void => {
  process.send?.(message);
};
process.on('message', (message) => {
  const { id, spoolPath, targetPath, comments } = job.parse(message);
  encodeSpool(spoolPath, targetPath, comments).then(
    (file) => reply({ id, file }),
    (error: NodeJS.ErrnoException) => reply({ id, error: error.message, code: error.code ?? null }),
  );
});
