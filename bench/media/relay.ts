/** Debian's rtpengine as a system under test: the same calls, controlled with its ng protocol. */
import { Rtpengine } from '../calls/rtpengine.ts';
import type { Ends } from './ends-process.ts';
import type { System } from './system.ts';

const MOST_ATTEMPTS = 5;

export class Relay implements System {
  readonly name = 'rtpengine';
  readonly #engine: Rtpengine;

  private constructor(engine: Rtpengine) {
    this.#engine = engine;
  }

  static async start(): Promise<Relay> {
    return new Relay(await Rtpengine.start());
  }

  get pid(): number | undefined {
    return this.#engine.child.pid;
  }

  /**
   * Retries failed calls: rtpengine starts ICE before its answer has reached the browser's end, which occasionally rejects checks that it
   * does not expect yet.
   */
  async connect(ends: Ends, call: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#connect(ends, call, attempt);
      } catch (error) {
        if (attempt === MOST_ATTEMPTS) throw error;
      }
  }

  async #connect(ends: Ends, call: number, attempt: number): Promise<void> {
    const ids = { 'call-id': `bench-${call}-${attempt}`, 'from-tag': 'agent' };
    const plain = { 'transport-protocol': 'RTP/AVP', ICE: 'remove', 'rtcp-mux': ['demux'] };
    const secure = { 'transport-protocol': 'UDP/TLS/RTP/SAVPF', ICE: 'force', DTLS: 'active' };
    const offer = await ends.sdp({ ask: 'offer', call, leg: 0 });
    const port = await ends.sdp({ ask: 'port', call });
    const offered = await this.#engine.rewrite({ ...ids, command: 'offer', sdp: offer, ...plain });
    await ends.tell({ ask: 'remote', call, sdp: offered });
    const answered = { ...ids, command: 'answer', 'to-tag': 'carrier', sdp: port, ...secure };
    await ends.tell({ ask: 'accept', call, leg: 0, sdp: await this.#engine.rewrite(answered) });
  }

  stop(): Promise<void> {
    return this.#engine.stop();
  }
}
