import type { Scene } from './scene.ts';

export interface Attack {
  name: string;
  /**
   * @param scale 1 in the long form; how much of it is sent
   * @returns what was wrong besides what `check` looks at
   */
  run(scene: Scene, scale: number): Promise<string[]>;
}
