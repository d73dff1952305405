export interface Size {
  width: number;
  height: number;
}
/** The assumed size of a node that is not rendered yet, in canvas pixels. */
export const USUAL_SIZE: Size = { width: 240, height: 96 };
/** The distance between a step and its target, and between a step and the one below it. */
export const BETWEEN_RANKS = 64;
export const BETWEEN_NODES = 32;
