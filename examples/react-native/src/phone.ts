/** The device and the calls of this app: created once, when the file is loaded. */
import AsyncStorage from '@react-native-async-storage/async-storage';
import { MediaStream, mediaDevices, permissions, RTCPeerConnection } from 'react-native-webrtc';
import { Device, type Agent } from '@clarion/sdk/react-native';
import { deletePushTokens, fetchToken } from './backend.ts';
import { callKeepScreen } from './callkeep-screen.ts';
import { Calls } from './calls.ts';

const SERVICE_URL = 'https://calls.example.com';

const listeners = new Set<(agent: Agent) => void>();

/** Every connection after `disconnect` has a new agent. @returns a function that removes the listener */
export function onAgent(listener: (agent: Agent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const device = new Device({
  url: SERVICE_URL,
  getToken: fetchToken,
  webrtc: { RTCPeerConnection, MediaStream, mediaDevices, permissions },
  storage: AsyncStorage,
  onAgent: (agent) => {
    calls.listenTo(agent);
    for (const listener of listeners) listener(agent);
  },
});

export const calls: Calls = new Calls(device, callKeepScreen);

/** Calls must not reach a phone whose user has signed out. */
export async function signOut(): Promise<void> {
  await deletePushTokens(await device.deviceId());
  device.disconnect();
}
