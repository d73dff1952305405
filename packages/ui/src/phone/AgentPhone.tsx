'use client';

import { useState } from 'react';
import { ActiveView } from './ActiveView.tsx';
import { announcementFor } from './announcement.ts';
import { DevicesDialog } from './DevicesDialog.tsx';
import { DialingView } from './DialingView.tsx';
import { EndedView } from './EndedView.tsx';
import { IdleView } from './IdleView.tsx';
import { IncomingView } from './IncomingView.tsx';
import type { PhoneActions, PhoneModel } from './model.ts';
import { OfflineView } from './OfflineView.tsx';
import { phoneKeyHandler } from './phone-keys.ts';
import { ProblemBanner } from './ProblemBanner.tsx';
import { StatusBar } from './StatusBar.tsx';
import { useRingtone } from './use-ringtone.ts';

export interface AgentPhoneProps {
  model: PhoneModel;
  actions: PhoneActions;
}

/** What the phone remembers about one call by itself. */
interface CallMemory {
  callId: number;
  silenced: boolean;
  keypadOpen: boolean;
  sent: string;
}

const nothingYet = (callId: number): CallMemory => ({ callId, silenced: false, keypadOpen: false, sent: '' });

/** The agent's phone: 320 to 420 pixels wide, as tall as its place allows. */
export function AgentPhone({ model, actions }: AgentPhoneProps) {
  const { view } = model;
  const callId = view.at === 'idle' ? 0 : view.call.id;
  const [devicesOpen, setDevicesOpen] = useState(false);
  const [kept, setKept] = useState(() => nothingYet(callId));
  const memory = kept.callId === callId ? kept : nothingYet(callId);
  const remember = (change: Partial<CallMemory>) => setKept({ ...memory, ...change });

  const silence = () => remember({ silenced: true });
  const toggleKeypad = () => remember({ keypadOpen: !memory.keypadOpen });
  const sendKey = (key: string) => {
    remember({ keypadOpen: true, sent: memory.sent + key });
    actions.sendDigits(callId, key);
  };
  const closeKeypad = () => {
    if (memory.keypadOpen) remember({ keypadOpen: false });
    return memory.keypadOpen;
  };

  useRingtone(view.at === 'incoming' && model.rings && !memory.silenced && !view.answering);

  const onKeyDown = phoneKeyHandler({
    view,
    actions,
    onSilence: silence,
    onToggleKeypad: toggleKeypad,
    closeKeypad,
    onDigit: sendKey,
  });

  return (
    <section
      data-agent-phone
      aria-label="Agent phone"
      className="flex min-h-172 w-full max-w-105 min-w-80 flex-col overflow-hidden rounded-card border border-line bg-surface font-sans text-base text-ink shadow-card"
      onKeyDown={onKeyDown}
    >
      <StatusBar model={model} actions={actions} onOpenDevices={() => setDevicesOpen(true)} />
      {model.problem && <ProblemBanner problem={model.problem} onResolve={actions.resolveProblem} />}
      <p className="sr-only" role="status" aria-live={view.at === 'incoming' ? 'assertive' : 'polite'}>
        {announcementFor(model)}
      </p>
      {renderView()}
      <DevicesDialog
        open={devicesOpen}
        devices={model.devices}
        actions={actions}
        onClose={() => setDevicesOpen(false)}
      />
    </section>
  );

  function renderView() {
    // A call that is on shows even while the connection is being brought back: its audio does not need it.
    const unreachable = model.connection === 'connecting' || model.connection === 'disconnected';
    if (unreachable && view.at !== 'active')
      return <OfflineView model={model} onReconnect={actions.reconnect} />;
    switch (view.at) {
      case 'idle':
        return (
          <IdleView
            lines={model.lines}
            enabled={model.connection === 'connected'}
            away={model.agent?.shift === 'OFFLINE'}
            onDial={actions.dial}
          />
        );
      case 'incoming':
        return (
          <IncomingView
            view={view}
            silenced={memory.silenced}
            onSilence={silence}
            onAnswer={actions.answer}
            onDecline={actions.decline}
          />
        );
      case 'dialing':
        return <DialingView view={view} onHangUp={actions.hangUp} />;
      case 'active':
        return (
          <ActiveView
            view={view}
            actions={actions}
            keypadOpen={memory.keypadOpen}
            onToggleKeypad={toggleKeypad}
            sent={memory.sent}
            onKey={sendKey}
          />
        );
      case 'ended':
        return <EndedView view={view} onCallBack={callBack()} onDone={actions.dismissEnded} />;
    }
  }

  function callBack(): (() => void) | null {
    if (view.at !== 'ended') return null;
    const number = view.call.customerAddress;
    const line = model.lines.find(({ name }) => name === view.call.line) ?? model.lines[0];
    return number !== null && line && model.connection === 'connected'
      ? () => actions.dial(line.ref, number)
      : null;
  }
}
