import { ClarionError } from './errors.ts';
import type { Link } from './link.ts';

/** How long `connect` tries to reach the service. Later losses are retried indefinitely. */
export const FIRST_CONNECT_LIMIT_MS = 30_000;

/** Resolves with the next complete state from the service. Rejects when the connection is permanently closed. */
export function nextSession(link: Link, limitMs = FIRST_CONNECT_LIMIT_MS): Promise<void> {
  return new Promise((resolve, reject) => {
    let last: ClarionError | null = null;
    const timer = setTimeout(
      () =>
        settle(() =>
          reject(last ?? new ClarionError('connection_failed', 'The service could not be reached.')),
        ),
      limitMs,
    );
    const offs = [
      link.on('message', ({ name }) => {
        if (name === 'session') settle(resolve);
      }),
      link.on('connection', (state, error) => {
        last = error ?? last;
        if (state === 'disconnected')
          settle(() => reject(error ?? new ClarionError('disconnected', 'The agent is disconnected.')));
      }),
    ];
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      for (const off of offs) off();
      finish();
    };
  });
}
