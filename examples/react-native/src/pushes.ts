/** Push tokens and push notifications: PushKit and FCM on iOS, FCM on Android. */
import messaging from '@react-native-firebase/messaging';
import { AppState, Platform } from 'react-native';
import VoipPush from 'react-native-voip-push-notification';
import type { Device } from '@clarion/sdk/react-native';
import { registerPushToken } from './backend.ts';
import type { Calls } from './calls.ts';

/**
 * Must run while the file `index.ts` is loaded, and not in a component: when a push notification starts the app, Android loads that file
 * without showing anything.
 */
export function receivePushes(calls: Calls): void {
  messaging().setBackgroundMessageHandler(({ data }) => calls.onPush(data));
  messaging().onMessage(({ data }) => void calls.onPush(data));
  AppState.addEventListener('change', (state) => {
    if (state !== 'inactive') calls.onForeground(state === 'active').catch(console.warn);
  });
  if (Platform.OS !== 'ios') return;
  VoipPush.addEventListener('notification', (data) => void calls.onPush(data));
  // What arrived before JavaScript was running.
  VoipPush.addEventListener('didLoadWithEvents', (events) => {
    for (const { name, data } of events ?? [])
      if (name === VoipPush.RNVoipPushRemoteNotificationReceivedEvent) void calls.onPush(data);
  });
}

/** After the user has signed in. A token can change at any time. */
export async function registerPushTokens(device: Device): Promise<void> {
  const deviceId = await device.deviceId();
  const platform = Platform.OS === 'ios' ? 'IOS' : 'ANDROID';
  const register = (provider: 'FCM' | 'APNS_VOIP', token: string) =>
    registerPushToken({ deviceId, platform, provider, token });
  messaging().onTokenRefresh((token) => void register('FCM', token));
  await messaging().requestPermission();
  await register('FCM', await messaging().getToken());
  if (platform !== 'IOS') return;
  VoipPush.addEventListener('register', (token) => void register('APNS_VOIP', token));
  VoipPush.registerVoipToken();
}
