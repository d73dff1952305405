/** What the route, the watchdog and the commands use of a customer's leg, on any network. */
import type { LegStats } from '@clarion/protocol/media';
import type { Law } from '../rtp/g711.ts';
import type { Direction } from '../sdp/carrier.ts';
import type { PlayerSource } from './player.ts';
import type { RecentIds } from './recent-ids.ts';
import type { VoiceSource } from './voice-source.ts';

export interface CustomerLeg {
  readonly kind: 'carrier-in' | 'carrier-out';
  readonly callId: number;
  readonly legId: string;
  /** From the port allocator, which gets it back once the leg is closed. */
  readonly port: number;
  /** What the customer says, as G.711. */
  readonly voice: VoiceSource;
  readonly state: 'NEW' | 'RINGING' | 'CONNECTED';
  /** As reported in `leg:connected` and in the statistics; null before it is negotiated. */
  readonly codec: string | null;
  /** The G.711 laws that need no transcoding; the first is the one of `voice`. */
  readonly laws: readonly { law: Law; payloadType: number }[];
  /** From the remote party's point of view. */
  readonly direction: Direction;
  /** Whether audio from the remote party arrives before it has answered. */
  readonly hasEarlyMedia: boolean;
  /** Of the commands that sent DTMF digits. */
  readonly dtmfCommands: RecentIds;
  hear: (sources: readonly PlayerSource[]) => void;
  /** Increases while anything arrives from the remote party. */
  activityCount: () => Promise<number>;
  stats: () => Promise<LegStats>;
  close: () => Promise<void>;
}
