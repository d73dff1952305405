'use client';

import { useState } from 'react';
import { classNames } from '../shared/class-names.ts';
import { announcementFor } from './announcement.ts';
import { CallPane } from './CallPane.tsx';
import { HistoryList } from './HistoryList.tsx';
import { lineFor } from './line-for.ts';
import { MinimisedBar } from './MinimisedBar.tsx';
import type { PhoneActions, PhoneCall, PhoneModel } from './model.ts';
import { MonitorBar } from './MonitorBar.tsx';
import { phoneKeyHandler } from './phone-keys.ts';
import { PhoneTabs, type PhoneTab } from './PhoneTabs.tsx';
import { ProblemBanner } from './ProblemBanner.tsx';
import { StatusBar } from './StatusBar.tsx';
import { TeamView } from './TeamView.tsx';
import { useCallViewState } from './use-call-view-state.ts';
import { useDialPad } from './use-dial-pad.ts';
import { useRingtone } from './use-ringtone.ts';
import { WrapUpBar } from './WrapUpBar.tsx';

export interface AgentPhoneProps {
  model: PhoneModel;
  actions: PhoneActions;
  /** Whether the phone is minimised to a bar; if omitted, it cannot be minimised. */
  minimised?: boolean;
  onMinimise?(minimised: boolean): void;
}

/**
 * The agent's phone. It fills its container, which must have at least 320 by 576 pixels. It shows one pane at a time; from a width
 * of 672 pixels, the call is on the left and the lists are on the right.
 */
export function AgentPhone({ model, actions, minimised = false, onMinimise }: AgentPhoneProps) {
  const { view, team, agent } = model;
  const viewState = useCallViewState(view);
  const { silenced } = viewState;
  const pad = useDialPad(view);
  const [callShown, setCallShown] = useState(true);
  const [chosenList, setList] = useState<'recent' | 'team'>('recent');
  const choose = (tab: PhoneTab) => {
    setCallShown(tab === 'phone');
    if (tab !== 'phone') setList(tab);
  };

  // A new call switches to the call pane.
  const callId = view.at === 'idle' ? 0 : view.call.id;
  const [shownCall, setShownCall] = useState(callId);
  if (shownCall !== callId) {
    setShownCall(callId);
    if (callId !== 0 && view.at !== 'ended') setCallShown(true);
  }

  useRingtone(view.at === 'incoming' && model.rings && !silenced && view.answering === null);
  const sendKey = (key: string) => {
    viewState.pressed(key);
    actions.sendDigits(callId, key);
  };
  const onKeyDown = phoneKeyHandler({
    view,
    actions,
    onSilence: viewState.silence,
    onToggleKeypad: viewState.toggleKeypad,
    closeKeypad: viewState.closeKeypad,
    onDigit: sendKey,
    onTransfer: () => viewState.open('transfer'),
    onNotes: () => viewState.open('notes'),
  });

  function dialAgain(call: PhoneCall): void {
    const line = lineFor(call, model.lines);
    if (line && call.customerAddress !== null) actions.dial(line.ref, call.customerAddress);
  }

  const frame =
    'flex w-full min-w-80 flex-col overflow-hidden rounded-card border border-line bg-surface font-sans text-base text-ink shadow-card';
  const announcement = (
    <p className="sr-only" role="status" aria-live={view.at === 'incoming' ? 'assertive' : 'polite'}>
      {announcementFor(model)}
    </p>
  );
  if (minimised && onMinimise)
    return (
      <section data-agent-phone aria-label="Agent phone" className={frame} onKeyDown={onKeyDown}>
        {announcement}
        <MinimisedBar model={model} actions={actions} onExpand={() => onMinimise(false)} />
      </section>
    );

  const lists: PhoneTab[] = team ? ['recent', 'team'] : ['recent'];
  const list = team ? chosenList : 'recent';
  const idle = model.connection === 'connected' && (view.at === 'idle' || view.at === 'ended');
  const canCall = (call: PhoneCall) => idle && lineFor(call, model.lines) !== null;

  return (
    <section
      data-agent-phone
      aria-label="Agent phone"
      className={classNames(frame, '@container h-full min-h-144')}
      onKeyDown={onKeyDown}
    >
      <StatusBar
        model={model}
        actions={actions}
        onOpenSettings={() => {
          setCallShown(true);
          viewState.open('settings');
        }}
        onMinimise={onMinimise ? () => onMinimise(true) : null}
      />
      {model.problem && <ProblemBanner problem={model.problem} onResolve={actions.resolveProblem} />}
      {agent && agent.wrapUpUntil !== null && view.at !== 'active' && (
        <WrapUpBar until={agent.wrapUpUntil} onFinish={actions.endWrapUp} />
      )}
      {team?.monitor && <MonitorBar team={team} actions={actions} />}
      {announcement}
      <div className="flex min-h-0 grow basis-0">
        <div
          className={classNames(
            'relative min-h-0 min-w-0 grow basis-0 flex-col @2xl:flex @2xl:max-w-104',
            callShown ? 'flex' : 'hidden',
          )}
        >
          <CallPane
            model={model}
            actions={actions}
            viewState={viewState}
            pad={pad}
            onKey={sendKey}
            canCall={canCall}
            onDialAgain={dialAgain}
          />
        </div>
        <div
          className={classNames(
            'min-h-0 min-w-0 grow basis-0 flex-col border-line @2xl:flex @2xl:border-l',
            callShown ? 'hidden' : 'flex',
          )}
        >
          <PhoneTabs
            shown={lists}
            current={list}
            busy={false}
            className="hidden border-b @2xl:flex"
            onChoose={choose}
          />
          <div className="min-h-0 grow basis-0 overflow-y-auto">
            {list === 'team' && team ? (
              <TeamView team={team} actions={actions} />
            ) : (
              <HistoryList
                history={model.history}
                canCall={canCall}
                onCallBack={({ call }) => dialAgain(call)}
              />
            )}
          </div>
        </div>
      </div>
      <PhoneTabs
        shown={['phone', ...lists]}
        current={callShown ? 'phone' : list}
        busy={view.at === 'active' || view.at === 'dialing'}
        className="flex border-t @2xl:hidden"
        onChoose={choose}
      />
    </section>
  );
}
