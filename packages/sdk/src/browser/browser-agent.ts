import { AgentBase, type AgentOptions } from '../agent/agent.ts';
import type { AudioDevices } from './audio-devices.ts';
import type { browserPlatform } from './browser-platform.ts';

/** The signed-in agent, as returned by `connect`. */
export class Agent extends AgentBase {
  readonly audio: AudioDevices;

  /** @internal Use `connect`. */
  constructor(options: AgentOptions & { platform: ReturnType<typeof browserPlatform> }) {
    super(options);
    this.audio = options.platform.audio;
    this.audio.on('changed', () => this.emit('updated'));
  }
}
