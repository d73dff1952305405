/**
 * Runs inside a page under test before any of its own scripts. It records every remote audio track that the page's
 * RTCPeerConnections receive, whichever library created them, and disables processing of the microphone, which would distort a tone.
 * Self-contained, because Playwright sends its source to the page.
 */

/** The audio of one track as it was played. */
export interface TrackSound {
  sampleRate: number;
  /** 16-bit samples, base64. */
  samples: string;
  /** Performance time (ms) of the first sample. */
  startedAt: number;
}

export interface Ear {
  /** Peer connections, oldest first. */
  connections: RTCPeerConnection[];
  tracks: { chunks: Float32Array[]; sampleRate: number; startedAt: number; muted: boolean }[];
  /** What was received on the newest track since `clear`; null if there is no track yet. */
  read(): TrackSound | null;
  /** The length of what `read` returns. */
  recordedMs(): number;
  /** Of the newest peer connection (W3C webrtc-stats, `packetsLost`). */
  packetsLost(): Promise<number>;
  clear(): void;
}

declare global {
  interface Window {
    testkitEar: Ear;
  }
  /** Chromium's own (W3C mediacapture-transform). */
  var MediaStreamTrackProcessor: new (init: { track: MediaStreamTrack; maxBufferSize: number }) => {
    readable: ReadableStream<AudioData>;
  };
}

export function installEar(): void {
  if (window.testkitEar) return;
  const MAX_SECONDS = 120;
  const QUEUE_FRAMES = 3000; // 30 s of 10 ms frames, so that a busy page loses nothing
  const lengthOf = ({ chunks }: Ear['tracks'][number]) =>
    chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const ear: Ear = {
    connections: [],
    tracks: [],
    read() {
      const track = ear.tracks.at(-1);
      if (!track || track.chunks.length === 0) return null;
      const samples = new Int16Array(lengthOf(track));
      let at = 0;
      for (const chunk of track.chunks)
        for (const sample of chunk) samples[at++] = Math.max(-1, Math.min(1, sample)) * 32_767;
      const bytes = new Uint8Array(samples.buffer);
      let text = '';
      for (let i = 0; i < bytes.length; i += 8192)
        text += String.fromCharCode(...bytes.subarray(i, i + 8192));
      return { sampleRate: track.sampleRate, startedAt: track.startedAt, samples: btoa(text) };
    },
    recordedMs() {
      const track = ear.tracks.at(-1);
      return track && track.sampleRate > 0 ? (lengthOf(track) * 1000) / track.sampleRate : 0;
    },
    async packetsLost() {
      const received = await ear.connections.at(-1)?.getStats();
      let lost = 0;
      received?.forEach((each) => (lost += each.type === 'inbound-rtp' ? each.packetsLost : 0));
      return lost;
    },
    clear() {
      for (const track of ear.tracks) track.chunks = [];
    },
  };
  window.testkitEar = ear;

  type FrameReader = ReadableStreamDefaultReader<AudioData>;

  const listen = async (reader: FrameReader): Promise<void> => {
    const track: Ear['tracks'][number] = { chunks: [], sampleRate: 0, startedAt: 0, muted: false };
    ear.tracks.push(track);
    for (;;) {
      const { value: frame, done } = await reader.read();
      if (done) return;
      if (track.chunks.length === 0) track.startedAt = performance.now();
      track.sampleRate = frame.sampleRate;
      const chunk = new Float32Array(frame.numberOfFrames);
      frame.copyTo(chunk, { planeIndex: 0, format: 'f32-planar' });
      frame.close();
      track.chunks.push(chunk);
      if (track.chunks.length > MAX_SECONDS * 100) track.chunks.shift();
    }
  };

  const Native = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Native {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      ear.connections.push(this);
      this.addEventListener('track', ({ track, streams }) => {
        if (track.kind !== 'audio') return;
        // Chromium decodes a remote track only while something plays it; a muted element is enough.
        const player = new Audio();
        player.srcObject = streams[0] ?? new MediaStream([track]);
        player.muted = true;
        void player.play().catch(() => undefined);
        void listen(
          new MediaStreamTrackProcessor({ track, maxBufferSize: QUEUE_FRAMES }).readable.getReader(),
        );
      });
    }
  };

  const devices = navigator.mediaDevices;
  if (!devices) return;
  const getUserMedia = devices.getUserMedia.bind(devices);
  devices.getUserMedia = (constraints) => {
    const audio = constraints?.audio;
    if (!audio) return getUserMedia(constraints);
    const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    return getUserMedia({ ...constraints, audio: { ...(audio === true ? {} : audio), ...plain } });
  };
}
