/** A response that is a file, for endpoints whose definition has `answer.file`. */

export interface File {
  /** One of `answer.file`. */
  contentType: string;
  /** The name under which a browser saves it, in ASCII. */
  fileName: string;
  /** A stream is sent as it is read. */
  content: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** What a verb returns instead of a resource. */
export class FileAnswer {
  readonly file: File;

  constructor(file: File) {
    this.file = file;
  }
}
