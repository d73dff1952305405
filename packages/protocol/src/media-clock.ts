/** How messages of a media node carry the time: the clocks of hosts differ, so realtime derives it from the age. */
import { z } from 'zod';

/** When a message was sent, and how long before that its fact happened, by the monotonic clock of the media process. */
export const sent = z.object({
  /** Milliseconds since the process started. */
  clockMs: z.number().nonnegative(),
  ageMs: z.number().nonnegative(),
});
export type Sent = z.infer<typeof sent>;
