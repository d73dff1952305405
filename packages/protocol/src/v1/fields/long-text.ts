/** A text of megabytes in pieces, such as a rate sheet: one string of it would have to be copied several times while it is received and read. */
export class LongText {
  readonly pieces: readonly string[];

  /** @param pieces none of which ends within a character */
  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }

  /** The first characters: at least as many as given, if the text has so many. */
  start(chars: number): string {
    let start = '';
    for (const piece of this.pieces) {
      if (start.length >= chars) break;
      start += piece;
    }
    return start;
  }
}
