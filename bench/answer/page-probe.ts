/**
 * Runs inside the agent's page before the SDK and records when it does what, in Unix milliseconds. Self-contained, because Playwright
 * sends its source to the page.
 */

/** Unix milliseconds with fractions. The clocks of the page and of the benchmark are those of one machine. */
export interface PageTimes {
  click: number;
  /** `call:accept` was handed to the socket. */
  claim: number;
  /** The SDP answer was applied. */
  sdpAnswer: number;
  /** ICE and DTLS have connected. */
  connected: number;
  /** The first audio of the caller was decoded. */
  audio: number;
}

declare global {
  interface Window {
    /** Answers the call and resolves once its audio is heard. */
    answerAndMeasure(callId: number): Promise<PageTimes>;
  }
}

export function installAnswerProbe(): void {
  /** Short against the 20 ms of a packet. */
  const POLL_MS = 2;
  const AUDIO_WITHIN_MS = 20_000;
  const now = () => performance.timeOrigin + performance.now();
  let times: Partial<PageTimes> = {};
  const watchAudio = (peer: RTCPeerConnection) => {
    const heard = peer.getReceivers().some((receiver) => receiver.getSynchronizationSources().length > 0);
    if (heard) times.audio ??= now();
    else if (peer.connectionState !== 'closed') setTimeout(watchAudio, POLL_MS, peer);
  };
  const { setRemoteDescription } = RTCPeerConnection.prototype;
  const applyAnswer = async function (this: RTCPeerConnection, answer: RTCSessionDescriptionInit) {
    times.sdpAnswer ??= now();
    this.addEventListener('connectionstatechange', () => {
      if (this.connectionState === 'connected') times.connected ??= now();
    });
    watchAudio(this);
    await Reflect.apply(setRemoteDescription, this, [answer]);
  };
  Reflect.set(RTCPeerConnection.prototype, 'setRemoteDescription', applyAnswer);
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (this: WebSocket, data) {
    if (typeof data === 'string' && data.includes('"call:accept"')) times.claim ??= now();
    send.call(this, data);
  };
  window.answerAndMeasure = async (callId) => {
    times = { click: now() };
    await window.clarionTest.run(callId, 'accept', undefined);
    const deadline = now() + AUDIO_WITHIN_MS;
    while (times.audio === undefined) {
      if (now() > deadline) throw new Error('the audio of the call was not heard');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const { click = NaN, claim = NaN, sdpAnswer = NaN, connected = NaN, audio } = times;
    return { click, claim, sdpAnswer, connected, audio };
  };
}
