/**
 * A customer whose audio is in a web page: the page's RTCPeerConnection talks DTLS and SRTP with the business, behind Meta's ICE-lite
 * outside. The journal tells the page what to do (`make-offer`, `answer-offer`, `apply-answer`), and the page sends its SDP back.
 */
import type {
  CustomerMedia,
  CustomerMediaFactory,
  Heard,
  MediaContext,
  MediaCounters,
  PageStep,
} from './customer-media.ts';
import { MetaRelay } from './relay.ts';
import { isRtcp } from './rtp.ts';

const LOOPBACK = '127.0.0.1';
/** How long a page may take to make its SDP. */
const PAGE_TIMEOUT_MS = 10_000;
/** The first bytes of RTP and RTCP (RFC 7983). */
const FIRST_MEDIA_BYTE = 128;
const LAST_MEDIA_BYTE = 191;

export interface PageMediaOptions {
  /** Where the business reaches the customer's media. */
  readonly address?: string;
  /** Where the page's browser reaches the simulator. */
  readonly pageAddress?: string;
}

export const inPage =
  ({ address = LOOPBACK, pageAddress = LOOPBACK }: PageMediaOptions = {}): CustomerMediaFactory =>
  async (context) =>
    PageMedia.open(address, pageAddress, context);

class PageMedia implements CustomerMedia {
  #relay!: MetaRelay;
  readonly #context: MediaContext;
  #open = false;
  #muted = false;
  #connected = false;
  #sent = 0;
  #received = 0;
  #early = 0;
  #lastAt: number | null = null;
  #waiting: { resolve: (sdp: string) => void; reject: (error: Error) => void } | null = null;

  private constructor(context: MediaContext) {
    this.#context = context;
  }

  static async open(address: string, pageAddress: string, context: MediaContext): Promise<PageMedia> {
    const media = new PageMedia(context);
    media.#relay = await MetaRelay.open({
      address,
      port: 0,
      agentAddress: pageAddress,
      passes: (datagram, from) => media.#passes(datagram, from),
    });
    return media;
  }

  async createOffer(): Promise<string> {
    const offer = await this.#ask('make-offer', null);
    return this.#relay.toBusiness(this.#relay.adopt(offer), 'actpass');
  }

  async applyRemote(answer: string): Promise<void> {
    this.#tell('apply-answer', this.#relay.toAgent(answer));
  }

  async createAnswer(offer: string): Promise<string> {
    const answer = await this.#ask('answer-offer', this.#relay.toAgent(offer));
    return this.#relay.toBusiness(this.#relay.adopt(answer), 'active');
  }

  fromPage(sdp: string): void {
    this.#waiting?.resolve(sdp);
    this.#waiting = null;
  }

  open(): void {
    this.#open = true;
  }

  play(): void {
    // The page sends its microphone.
  }

  async sendDigits(): Promise<void> {
    throw new Error('the page sends digits itself, with RTCDTMFSender');
  }

  /** Nothing is measured, because the audio is encrypted for the page. */
  async heard(): Promise<Heard> {
    return { levelDb: -120, hz: null, overRestDb: -120 };
  }

  counters(): MediaCounters {
    const { checks, unauthorized, roleConflicts } = this.#relay.iceCounters;
    return {
      packetsSent: this.#sent,
      packetsReceived: this.#received,
      earlyPackets: this.#early,
      silentForMs: this.#lastAt === null ? null : performance.now() - this.#lastAt,
      iceChecks: checks,
      iceUnauthorized: unauthorized,
      iceRoleConflicts: roleConflicts,
      digits: '',
    };
  }

  interrupt(what: 'media' | 'consent', interrupted: boolean): void {
    if (what === 'media') this.#muted = interrupted;
    else this.#relay.answersChecks = !interrupted;
  }

  async close(): Promise<void> {
    this.#waiting?.reject(new Error('the call has ended'));
    this.#waiting = null;
    this.#relay.close();
  }

  #passes(datagram: Buffer, from: 'agent' | 'business'): boolean {
    const [first = 0] = datagram;
    if (first < FIRST_MEDIA_BYTE || first > LAST_MEDIA_BYTE) return true;
    // Either side sends media only when DTLS is finished.
    if (!this.#connected) this.#context.onEvent({ type: 'connected' });
    this.#connected = true;
    if (from === 'agent') {
      // The microphone of the page is on from the beginning; the customer's audio is not.
      if (!this.#open || this.#muted) return false;
      this.#sent += 1;
    } else if (!isRtcp(datagram)) {
      this.#received += 1;
      this.#lastAt = performance.now();
      if (!this.#open) {
        this.#early += 1;
        if (this.#early === 1) this.#context.onEvent({ type: 'early-media' });
      }
    }
    return true;
  }

  #tell(step: PageStep, sdp: string | null): void {
    this.#context.onEvent({ type: 'page', step, sdp });
  }

  async #ask(step: PageStep, sdp: string | null): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const reply = new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      timer = setTimeout(() => reject(new Error('no page sent its SDP for this call')), PAGE_TIMEOUT_MS);
    });
    this.#tell(step, sdp);
    return reply.finally(() => clearTimeout(timer));
  }
}
