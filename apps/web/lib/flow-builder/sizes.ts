export interface Size {
  width: number;
  height: number;
}
/** What a node takes that was not drawn yet, in pixels of the canvas. */
export const USUAL_SIZE: Size = { width: 240, height: 96 };
/** From a step to the one it leads to, and from one to the one below it. */
export const BETWEEN_RANKS = 64;
export const BETWEEN_NODES = 32;
