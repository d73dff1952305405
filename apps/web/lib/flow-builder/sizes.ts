export interface Size {
  width: number;
  height: number;
}
/** What a node takes that was not drawn yet, in pixels of the canvas. */
export const USUAL_SIZE: Size = { width: 240, height: 96 };
