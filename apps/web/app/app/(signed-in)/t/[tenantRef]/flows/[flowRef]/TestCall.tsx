'use client';

import { Button, LiveTimer, Notice, type PhoneModel } from '@clarion/ui';
import { useAgent, usePhone } from '@clarion/phone';
import { Mic, MicOff, PhoneOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Line } from '#lib/dashboard/edit/resources.ts';
import { usePhoneOf } from '#lib/dashboard/use-phone-of.ts';
import { KeyGrid } from './KeyGrid.tsx';

interface TestCallProps {
  tenantRef: string;
  agentRef: string;
  /** The line to call. */
  line: Line;
  /** @param problem why the call did not take place; null: it is over */
  onEnd(problem: string | null): void;
}

/**
 * One call of an agent to the line. The agent is signed in for the duration of the call only: a phone that stayed connected could
 * be offered calls of customers.
 */
export function TestCall({ tenantRef, agentRef, line, onEnd }: TestCallProps) {
  const { getToken, createCall } = usePhoneOf(tenantRef, agentRef);
  const { model, actions } = usePhone(useAgent(undefined, getToken), { createCall });
  const { view } = model;
  // From another line if there is one: a call from a line to itself is hard to recognise in the list of calls.
  const from = model.lines.find(({ ref }) => ref !== line.ref) ?? model.lines[0];
  const isConnected = model.connection === 'connected';
  const isDialled = useRef(false);
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });

  useEffect(() => {
    if (!isConnected || isDialled.current) return;
    isDialled.current = true;
    if (from) actions.dial(from.ref, line.address);
    else end.current('This agent has no line for outbound calls.');
  }, [isConnected, from, actions, line.address]);

  const failure = failureOf(model);
  const isOver = view.at === 'ended';
  useEffect(() => {
    if (failure !== null) end.current(failure);
    else if (isOver) end.current(null);
  }, [failure, isOver]);

  const call = view.at === 'active' || view.at === 'dialing' ? view.call : null;
  const isMuted = view.at === 'active' && view.muted;
  return (
    <section aria-label="Test call" className="flex flex-col gap-4">
      <p role="status" className="flex items-center gap-2 rounded-panel bg-raised px-3.5 py-2.5 text-md">
        <span className="flex-1">{view.at === 'active' ? 'Connected' : `Calling ${line.address}`}</span>
        {view.at === 'active' && <LiveTimer since={view.answeredAt} />}
      </p>
      {model.problem?.kind === 'microphone-blocked' && (
        <Notice tone="warning">The microphone is blocked. You can hear the flow and press keys.</Notice>
      )}
      {view.at === 'active' && <KeyGrid onPress={(key) => actions.sendDigits(view.call.id, key)} />}
      <div className="flex gap-2">
        {view.at === 'active' && (
          <Button
            aria-pressed={isMuted}
            icon={
              isMuted ? <MicOff className="size-4" aria-hidden /> : <Mic className="size-4" aria-hidden />
            }
            onClick={() => actions.mute(view.call.id, !isMuted)}
          >
            {isMuted ? 'Unmute' : 'Mute'}
          </Button>
        )}
        <Button
          tone="negative"
          className="flex-1"
          icon={<PhoneOff className="size-4" aria-hidden />}
          onClick={() => (call === null ? onEnd(null) : actions.hangUp(call.id))}
        >
          Hang up
        </Button>
      </div>
    </section>
  );
}

/** Null: none. */
function failureOf({ connection, connectionError, problem }: PhoneModel): string | null {
  if (connection === 'disconnected') return connectionError ?? 'The connection was lost.';
  return problem?.kind === 'failed' ? problem.message : null;
}
