/** What an app on a phone passes to the SDK: peer connections without audio, and a storage in memory. */
import type { WebRtc } from '../src/react-native/index.ts';

class Track extends EventTarget {
  enabled = true;
  readyState: 'live' | 'ended' = 'live';
  stop(): void {
    this.readyState = 'ended';
  }
}

/** Connected as soon as the answer is applied. */
class PeerConnection extends EventTarget {
  connectionState = 'new';
  signalingState = 'stable';
  readonly sender = { replaceTrack: () => Promise.resolve() };

  addTransceiver(): { sender: PeerConnection['sender'] } {
    return { sender: this.sender };
  }
  createOffer(): Promise<{ type: 'offer'; sdp: string }> {
    return Promise.resolve({ type: 'offer', sdp: 'v=0' });
  }
  setLocalDescription(): Promise<void> {
    return Promise.resolve();
  }
  setRemoteDescription(): Promise<void> {
    this.dispatchEvent(Object.assign(new Event('track'), { track: new Track(), streams: [] }));
    this.connectionState = 'connected';
    this.dispatchEvent(new Event('connectionstatechange'));
    return Promise.resolve();
  }
  getStats(): Promise<Map<string, unknown>> {
    return Promise.resolve(new Map());
  }
  close(): void {
    this.connectionState = this.signalingState = 'closed';
  }
}

/** A phone's WebRTC, and every microphone track that was opened. */
export function phoneWebRtc(): { webrtc: WebRtc; tracks: Track[]; refuse(name: string): void } {
  const tracks: Track[] = [];
  let refusal: string | null = null;
  const getUserMedia = () => {
    if (refusal !== null) return Promise.reject(Object.assign(new Error('refused'), { name: refusal }));
    const track = new Track();
    tracks.push(track);
    return Promise.resolve({ getAudioTracks: () => [track] });
  };
  const webrtc = { RTCPeerConnection: PeerConnection, mediaDevices: { getUserMedia } };
  return { webrtc, tracks, refuse: (name) => (refusal = name) };
}

export function memoryStorage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => Promise.resolve(items.get(key) ?? null),
    setItem: (key: string, value: string) => Promise.resolve(void items.set(key, value)),
  };
}
