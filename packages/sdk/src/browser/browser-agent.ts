import { AgentBase, type AgentOptions } from '../agent/agent.ts';
import type { AudioDevices } from './audio-devices.ts';
import type { browserPlatform } from './browser-platform.ts';
import { WebPush } from './web-push.ts';

/** The signed-in agent, as returned by `connect`. */
export class Agent extends AgentBase {
  readonly audio: AudioDevices;
  /** Rings this browser while the phone is closed. */
  readonly webPush: WebPush;

  /** @internal Use `connect`. */
  constructor(options: AgentOptions & { platform: ReturnType<typeof browserPlatform> }) {
    super(options);
    this.audio = options.platform.audio;
    this.audio.on('changed', () => this.emit('updated'));
    this.webPush = new WebPush(options.link);
    this.webPush.on('changed', () => this.emit('updated'));
  }

  /** Call it when the user signs out: calls no longer ring this browser, and the connection ends. */
  async signOut(): Promise<void> {
    await this.webPush.signOut();
    this.disconnect();
  }
}
