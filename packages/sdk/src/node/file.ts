/** A response that is a file, such as an export. */
export class ApiFile {
  /** The media type, without parameters. */
  readonly contentType: string;
  /** The name that the service gives the file. */
  readonly fileName: string;
  readonly bytes: Uint8Array;

  constructor(contentType: string, fileName: string, bytes: Uint8Array) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.bytes = bytes;
  }

  /** The content of a text file. */
  text(): string {
    return new TextDecoder().decode(this.bytes);
  }
}

/** Null: not a file of the service, which names each. The page of a proxy is none. */
export async function fileIn(response: Response): Promise<ApiFile | null> {
  const type = (response.headers.get('Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const name = /^attachment;.*filename="([^"]*)"/i.exec(
    response.headers.get('Content-Disposition') ?? '',
  )?.[1];
  if (name === undefined) return null;
  return new ApiFile(type, name, new Uint8Array(await response.arrayBuffer()));
}
