/** CallKit on iOS and ConnectionService on Android, both through react-native-callkeep. */
import { Platform } from 'react-native';
import CallKeep, { CONSTANTS } from 'react-native-callkeep';
import { RTCAudioSession } from 'react-native-webrtc';
import type { CallScreen, Caller, ScreenEnd } from './call-screen.ts';
import type { Calls } from './calls.ts';
import { showMissedCall } from './notifications.ts';

const { END_CALL_REASONS } = CONSTANTS;
const REASONS: Record<ScreenEnd, number> = {
  ended: END_CALL_REASONS.REMOTE_ENDED,
  'answered-elsewhere': END_CALL_REASONS.ANSWERED_ELSEWHERE,
  declined: END_CALL_REASONS.DECLINED_ELSEWHERE,
  expired: END_CALL_REASONS.UNANSWERED,
  unreachable: END_CALL_REASONS.FAILED,
  failed: END_CALL_REASONS.FAILED,
};

const shownName = ({ name, address }: Caller) => name ?? address ?? 'Unknown';

export const callKeepScreen: CallScreen = {
  ring(uuid, caller, from) {
    // AppDelegate has reported it before JavaScript was running.
    if (Platform.OS === 'ios' && from === 'push') return;
    CallKeep.displayIncomingCall(uuid, caller.address ?? 'Unknown', shownName(caller), 'number', false);
  },
  connected: (uuid) => CallKeep.setCurrentCallActive(uuid),
  muted: (uuid, on) => CallKeep.setMutedCall(uuid, on),
  end: (uuid, why) => CallKeep.reportEndCallWithUUID(uuid, REASONS[why]),
  missed: (caller) => void showMissedCall(shownName(caller)),
};

export async function setUpCallKeep(calls: Calls): Promise<void> {
  const { answered, ended } = onScreen(calls);
  CallKeep.addEventListener('answerCall', answered);
  CallKeep.addEventListener('endCall', ended);
  CallKeep.addEventListener('didPerformSetMutedCallAction', ({ callUUID, muted }) =>
    ignoreErrors(calls.mute(callUUID, muted)),
  );
  CallKeep.addEventListener('didToggleHoldCallAction', ({ callUUID, hold }) =>
    ignoreErrors(calls.hold(callUUID, hold)),
  );
  CallKeep.addEventListener('didPerformDTMFAction', ({ callUUID, digits }) =>
    ignoreErrors(calls.sendDigits(callUUID, digits)),
  );
  // CallKit owns the audio session of iOS: WebRTC may use it only between these events.
  CallKeep.addEventListener('didActivateAudioSession', () => RTCAudioSession.audioSessionDidActivate());
  CallKeep.addEventListener('didDeactivateAudioSession', () => RTCAudioSession.audioSessionDidDeactivate());
  // What the user did on CallKit before JavaScript was running.
  CallKeep.addEventListener('didLoadWithEvents', (events) => {
    for (const { name, data } of events ?? []) {
      if (name === 'RNCallKeepPerformAnswerCallAction') answered(data);
      if (name === 'RNCallKeepPerformEndCallAction') ended(data);
    }
  });
  await CallKeep.setup({
    ios: { appName: 'Clarion example', supportsVideo: false, maximumCallGroups: '1' },
    android: {
      alertTitle: 'Calls',
      alertDescription: 'The app needs a calling account to show calls.',
      cancelButton: 'Cancel',
      okButton: 'Continue',
      additionalPermissions: [],
      selfManaged: false,
      foregroundService: { channelId: 'calls', channelName: 'Calls', notificationTitle: 'A call is running' },
    },
  });
  if (Platform.OS === 'android') CallKeep.setAvailable(true);
}

const onScreen = (calls: Calls) => ({
  answered: ({ callUUID }: { callUUID: string }) => ignoreErrors(calls.answered(callUUID.toLowerCase())),
  ended: ({ callUUID }: { callUUID: string }) => ignoreErrors(calls.ended(callUUID.toLowerCase())),
});

/** The state of the call, which the SDK reports, shows whether it took effect. */
function ignoreErrors(action: Promise<void>): void {
  action.catch((error: unknown) => console.warn(error));
}
