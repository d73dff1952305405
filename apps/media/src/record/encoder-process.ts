/**
 * A process that encodes recordings one after the other, at the lowest priority, so that the audio of calls goes first.
 * See encoder-pool.ts.
 */
import { z } from 'zod';
import { lowerPriority } from '../priority.ts';
import { encodeSpool } from './encode-spool.ts';
import type { EncodeReply } from './encoder-pool.ts';

const job = z.object({
  id: z.number(),
  spoolPath: z.string(),
  targetPath: z.string(),
  comments: z.array(z.templateLiteral([z.string(), '=', z.string()])),
});

lowerPriority();
// The parent has exited, so the result is no longer needed.
process.once('disconnect', () => process.exit(0));
// Ctrl-C reaches every process of a terminal; the parent decides when this one ends.
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
