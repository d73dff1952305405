import { ActiveView } from './ActiveView.tsx';
import { DialingView } from './DialingView.tsx';
import { EndedView } from './EndedView.tsx';
import { IdleView } from './IdleView.tsx';
import { IncomingView } from './IncomingView.tsx';
import type { PhoneActions, PhoneCall, PhoneModel } from './model.ts';
import { NoteField } from './NoteField.tsx';
import { OfflineView } from './OfflineView.tsx';
import { SettingsSheet } from './SettingsSheet.tsx';
import { Sheet } from './Sheet.tsx';
import { TransferSheet } from './TransferSheet.tsx';
import type { CallViewState } from './use-call-view-state.ts';
import type { DialPad } from './use-dial-pad.ts';

const NOTE_ROWS = 8;

interface CallPaneProps {
  model: PhoneModel;
  actions: PhoneActions;
  viewState: CallViewState;
  pad: DialPad;
  onKey(key: string): void;
  /** Whether the customer of a call can be called now. */
  canCall(call: PhoneCall): boolean;
  onDialAgain(call: PhoneCall): void;
}

/** The current call or the dial pad, and the sheets over it. */
export function CallPane({ model, actions, viewState, pad, onKey, canCall, onDialAgain }: CallPaneProps) {
  const { view, note } = model;
  return (
    <>
      <div className="flex min-h-0 grow basis-0 flex-col overflow-y-auto" inert={viewState.sheet !== null}>
        {renderView()}
      </div>
      {renderSheet()}
    </>
  );

  function renderSheet() {
    switch (viewState.sheet) {
      case 'settings':
        return <SettingsSheet model={model} actions={actions} onClose={viewState.closeSheet} />;
      case 'transfer':
        if (view.at !== 'active') return null;
        return (
          <TransferSheet
            transferChoices={actions.transferChoices}
            onTransfer={(target) => {
              viewState.closeSheet();
              actions.transfer(view.call.id, target);
            }}
            onClose={viewState.closeSheet}
          />
        );
      case 'notes':
        if (view.at !== 'active') return null;
        return (
          <Sheet title="Notes" onClose={viewState.closeSheet}>
            <NoteField
              key={view.call.id}
              note={note}
              rows={NOTE_ROWS}
              takesFocus
              onSave={(text) => actions.setNote(view.call.id, text)}
            />
            <p className="text-sm text-muted">Saved as you type. You can keep writing after the call.</p>
          </Sheet>
        );
      case null:
        return null;
    }
  }

  function renderView() {
    // A live call is shown even while reconnecting, because its audio does not depend on that connection.
    const unreachable = model.connection === 'connecting' || model.connection === 'disconnected';
    if (unreachable && view.at !== 'active')
      return <OfflineView model={model} onReconnect={actions.reconnect} />;
    switch (view.at) {
      case 'idle':
        return (
          <IdleView
            pad={pad}
            lines={model.lines}
            history={model.history}
            enabled={model.connection === 'connected'}
            away={model.agent?.shift === 'OFFLINE'}
            onDial={actions.dial}
            onAvailable={() => actions.setAvailability('AVAILABLE')}
          />
        );
      case 'incoming':
        return (
          <IncomingView
            view={view}
            silenced={viewState.silenced}
            onSilence={viewState.silence}
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
            keypadOpen={viewState.keypadOpen}
            onToggleKeypad={viewState.toggleKeypad}
            sent={viewState.sent}
            note={note}
            onKey={onKey}
            onTransfer={() => viewState.open('transfer')}
            onNotes={() => viewState.open('notes')}
          />
        );
      case 'ended':
        return (
          <EndedView
            view={view}
            note={note}
            onNote={(text) => actions.setNote(view.call.id, text)}
            onCallBack={canCall(view.call) ? () => onDialAgain(view.call) : null}
            onDone={actions.dismissEnded}
          />
        );
    }
  }
}
