/** What the SDK uses of WebRTC: react-native-webrtc, or anything else with the W3C's interface. */
export interface WebRtc {
  RTCPeerConnection: new (configuration: PeerConfiguration) => object;
  mediaDevices: { getUserMedia(constraints: { audio: object }): Promise<object> };
  /** For a remote track that belongs to no stream. Without it, such a track raises no `remoteStream`; the phone plays it anyway. */
  MediaStream?: new (tracks: never[]) => object;
  /**
   * react-native-webrtc's. With it, the SDK knows before a call is answered that the user has allowed the microphone; without it, the
   * first call is answered only once the microphone is open.
   */
  permissions?: { query(permission: { name: 'microphone' }): Promise<unknown> };
}

export interface PeerConfiguration {
  iceServers: { urls: string[]; username?: string; credential?: string }[];
  bundlePolicy: 'max-bundle';
}
