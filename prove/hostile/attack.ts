import type { Scene } from './scene.ts';

export interface Attack {
  name: string;
  /**
   * @param scale share of the full number of messages; 1 in the long form
   * @returns failures in addition to those that `check` finds
   */
  run(scene: Scene, scale: number): Promise<string[]>;
}
