import { performance } from 'node:perf_hooks';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';

/** The moment of a message about the call. Rejects if it does not arrive in time. */
export function seen(
  agent: ScriptedAgent,
  event: 'call:updated' | 'call:ended',
  callId: number,
  timeoutMs: number,
  fits: (call: { answeredAt: string | null }) => boolean,
): Promise<number> {
  const arrived = new Promise<number>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      agent.socket.off(event, look);
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`no ${event}`));
    }, timeoutMs);
    const look = ({ call }: { call: { callId: number; answeredAt: string | null } }) => {
      if (call.callId !== callId || !fits(call)) return;
      stop();
      resolve(performance.now());
    };
    agent.socket.on(event, look);
  });
  arrived.catch(() => undefined); // reported by whoever awaits it
  return arrived;
}
