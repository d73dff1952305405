import type { Scene } from './scene.ts';

export interface Attack {
  name: string;
  /**
   * @param scale 1 in the long form; how much of it is sent
   * @returns failures besides those that `check` finds
   */
  run(scene: Scene, scale: number): Promise<string[]>;
}
