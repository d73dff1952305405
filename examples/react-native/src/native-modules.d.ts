/**
 * The parts of the native modules that this example uses, as their own types declare them, so that the repository can check the
 * example without installing them. Delete this file in an app.
 */
declare module 'react-native' {
  import type { ComponentType, ReactNode } from 'react';

  export const Platform: { OS: 'ios' | 'android' };
  export const AppState: {
    addEventListener(
      event: 'change',
      listener: (state: 'active' | 'background' | 'inactive') => void,
    ): { remove(): void };
  };
  export const AppRegistry: { registerComponent(name: string, component: () => ComponentType): void };
  export const View: ComponentType<{ children?: ReactNode }>;
  export const Text: ComponentType<{ children?: ReactNode }>;
  export const Button: ComponentType<{ title: string; onPress: () => void }>;
}

declare module 'react-native-webrtc' {
  interface Configuration {
    bundlePolicy?: 'balanced' | 'max-compat' | 'max-bundle';
    iceServers?: { urls?: string | string[]; username?: string; credential?: string }[];
  }
  interface NativeTrack {
    id: string;
    enabled: boolean;
    stop(): void;
  }
  export class RTCPeerConnection {
    constructor(configuration?: Configuration);
    close(): void;
  }
  export class MediaStream {
    constructor(tracks?: MediaStream | NativeTrack[]);
    getAudioTracks(): NativeTrack[];
    release(releaseTracks?: boolean): void;
  }
  export const mediaDevices: {
    getUserMedia(constraints: { audio?: boolean | object; video?: boolean | object }): Promise<MediaStream>;
  };
  export const permissions: {
    query(permission: { name: string }): Promise<'denied' | 'granted' | 'prompt'>;
  };
  export const RTCAudioSession: { audioSessionDidActivate(): void; audioSessionDidDeactivate(): void };
}

declare module 'react-native-callkeep' {
  interface Events {
    answerCall: { callUUID: string };
    endCall: { callUUID: string };
    didPerformSetMutedCallAction: { callUUID: string; muted: boolean };
    didToggleHoldCallAction: { callUUID: string; hold: boolean };
    didPerformDTMFAction: { callUUID: string; digits: string };
    didActivateAudioSession: undefined;
    didDeactivateAudioSession: undefined;
    didLoadWithEvents: { name: string; data: { callUUID: string } }[] | undefined;
  }
  const CallKeep: {
    setup(options: { ios: object; android: object }): Promise<boolean>;
    addEventListener<E extends keyof Events>(event: E, listener: (data: Events[E]) => void): void;
    displayIncomingCall(
      uuid: string,
      handle: string,
      localizedCallerName?: string,
      handleType?: 'generic' | 'number' | 'email',
      hasVideo?: boolean,
    ): void;
    setCurrentCallActive(uuid: string): void;
    setMutedCall(uuid: string, muted: boolean): void;
    reportEndCallWithUUID(uuid: string, reason: number): void;
    setAvailable(available: boolean): void;
  };
  export default CallKeep;
  export const CONSTANTS: {
    END_CALL_REASONS: Record<
      'FAILED' | 'REMOTE_ENDED' | 'UNANSWERED' | 'ANSWERED_ELSEWHERE' | 'DECLINED_ELSEWHERE' | 'MISSED',
      number
    >;
  };
}

declare module 'react-native-voip-push-notification' {
  interface Events {
    register: string;
    notification: object;
    didLoadWithEvents: { name: string; data: object }[] | undefined;
  }
  const VoipPush: {
    RNVoipPushRemoteNotificationReceivedEvent: string;
    registerVoipToken(): void;
    addEventListener<E extends keyof Events>(event: E, listener: (data: Events[E]) => void): void;
  };
  export default VoipPush;
}

declare module '@react-native-firebase/messaging' {
  interface RemoteMessage {
    data?: Record<string, string | object>;
  }
  interface Messaging {
    setBackgroundMessageHandler(handler: (message: RemoteMessage) => Promise<void>): void;
    onMessage(listener: (message: RemoteMessage) => void): () => void;
    onTokenRefresh(listener: (token: string) => void): () => void;
    requestPermission(): Promise<number>;
    getToken(): Promise<string>;
  }
  export default function messaging(): Messaging;
}

declare module '@react-native-async-storage/async-storage' {
  const AsyncStorage: {
    getItem(key: string): Promise<string | null>;
    setItem(key: string, value: string): Promise<void>;
  };
  export default AsyncStorage;
}

declare module '@notifee/react-native' {
  const notifee: {
    createChannel(channel: { id: string; name: string }): Promise<string>;
    displayNotification(notification: {
      title: string;
      body: string;
      android: { channelId: string };
    }): Promise<string>;
  };
  export default notifee;
}
