/**
 * A small S3 server on a real socket with one bucket in memory: PUT, GET with ranges, HEAD, DELETE, DeleteObjects and list. It requires
 * a Signature Version 4 in the header or the query and checks its key, date and expiry, but does not compute the signature.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeS3Options {
  bucket?: string;
  accessKeyId?: string;
  secretAccessKey?: string;
}

/** What happens to a request instead: `silent` never responds, a number is a status. */
export type Trouble = 'silent' | number;

interface StoredObject {
  bytes: Buffer;
  contentType: string;
  modifiedAt: Date;
}

const PAGE = 1_000;

export class FakeS3 {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly objects = new Map<string, StoredObject>();
  /** Called for every request; null: it is processed. */
  trouble: (method: string, key: string) => Trouble | null = () => null;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #port = 0;

  private constructor({
    bucket = 'clarion',
    accessKeyId = 'AKIATEST',
    secretAccessKey = 'shh',
  }: FakeS3Options) {
    this.bucket = bucket;
    this.accessKeyId = accessKeyId;
    this.secretAccessKey = secretAccessKey;
  }

  static async start(options: FakeS3Options = {}): Promise<FakeS3> {
    const fake = new FakeS3(options);
    await fake.#listen(0);
    return fake;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The environment of a process that stores its files here. */
  get env(): Record<string, string> {
    return {
      S3_BUCKET: this.bucket,
      S3_ENDPOINT: this.endpoint,
      S3_REGION: 'eu-test-1',
      S3_ACCESS_KEY_ID: this.accessKeyId,
      S3_SECRET_ACCESS_KEY: this.secretAccessKey,
    };
  }

  /** Connections are refused until `startListening`. */
  async stopListening(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  startListening(): Promise<void> {
    return this.#listen(this.#port);
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.stopListening();
  }

  async #listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port; // a TCP server's address is an object
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.endpoint);
    const [, bucket, key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    const method = request.method ?? 'GET';
    const trouble = this.trouble(method, key);
    if (trouble === 'silent') return;
    const body = await readAll(request);
    // The upload was interrupted: as with real S3, nothing is stored.
    if (body === null) return;
    if (trouble !== null) return refuse(response, trouble, 'InternalError');
    const unsigned = this.#signatureFault(request, url);
    if (unsigned !== null) return refuse(response, 403, unsigned);
    if (bucket !== this.bucket) return refuse(response, 404, 'NoSuchBucket');
    if (key === '' && method === 'GET') return this.#list(url, response);
    if (key === '' && method === 'POST' && url.searchParams.has('delete')) {
      for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) this.objects.delete(name);
      return sendXml(response, '<DeleteResult></DeleteResult>');
    }
    switch (method) {
      case 'PUT':
        this.objects.set(key, {
          bytes: body,
          contentType: request.headers['content-type'] ?? 'application/octet-stream',
          modifiedAt: new Date(),
        });
        response.writeHead(200, { etag: '"fake"' }).end();
        return;
      case 'DELETE':
        this.objects.delete(key);
        response.writeHead(204).end();
        return;
      case 'GET':
      case 'HEAD':
        return this.#send(method, key, request, url, response);
      default:
        refuse(response, 405, 'MethodNotAllowed');
    }
  }

  /** Null if the request is signed with the known key and, as a presigned URL, has not expired. */
  #signatureFault(request: IncomingMessage, url: URL): string | null {
    const header = request.headers.authorization;
    const credential = header
      ? /^AWS4-HMAC-SHA256 Credential=([^,/]+)\/.*SignedHeaders=[^,]+, ?Signature=[0-9a-f]{64}$/.exec(
          header,
        )?.[1]
      : /^[0-9a-f]{64}$/.test(url.searchParams.get('X-Amz-Signature') ?? '')
        ? url.searchParams.get('X-Amz-Credential')?.split('/')[0]
        : undefined;
    if (credential === undefined) return 'AccessDenied';
    if (credential !== this.accessKeyId) return 'InvalidAccessKeyId';
    if (header) return null;
    const signedAt = Date.parse(
      (url.searchParams.get('X-Amz-Date') ?? '').replace(
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
        '$1-$2-$3T$4:$5:$6Z',
      ),
    );
    const until = signedAt + Number(url.searchParams.get('X-Amz-Expires')) * 1000;
    return until > Date.now() ? null : 'AccessDenied';
  }

  #send(method: string, key: string, request: IncomingMessage, url: URL, response: ServerResponse): void {
    const found = this.objects.get(key);
    if (!found) return refuse(response, 404, 'NoSuchKey', method === 'HEAD');
    const size = found.bytes.length;
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const start = from === undefined ? 0 : Number(from);
    const end = to ? Math.min(Number(to), size - 1) : size - 1;
    const disposition = url.searchParams.get('response-content-disposition');
    response.writeHead(from === undefined ? 200 : 206, {
      'content-type': url.searchParams.get('response-content-type') ?? found.contentType,
      'content-length': end - start + 1,
      'last-modified': found.modifiedAt.toUTCString(),
      ...(from !== undefined && { 'content-range': `bytes ${start}-${end}/${size}` }),
      ...(disposition !== null && { 'content-disposition': disposition }),
    });
    response.end(method === 'HEAD' ? undefined : found.bytes.subarray(start, end + 1));
  }

  #list(url: URL, response: ServerResponse): void {
    const prefix = url.searchParams.get('prefix') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    const page = keys.slice(0, Number(url.searchParams.get('max-keys') ?? PAGE));
    sendXml(
      response,
      `<ListBucketResult><Name>${this.bucket}</Name><KeyCount>${page.length}</KeyCount><IsTruncated>${
        page.length < keys.length
      }</IsTruncated>${page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`,
    );
  }
}

/** Null when the connection ended before the body did. */
async function readAll(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding was set
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, status: number, code: string, bare = false): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(bare ? undefined : `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function sendXml(response: ServerResponse, xml: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
}
