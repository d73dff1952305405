/** Files in a bucket of S3 or a compatible server. */
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { contentTypeOf, dispositionOf } from './file-key.ts';
import type { S3Settings } from './settings.ts';
import { reaching } from './driver.ts';
import type { StoreDriver } from './driver.ts';

/** The store is unavailable if it does not accept a connection within this time. */
export const S3_CONNECT_TIMEOUT_MS = 2_000;
/** The store is unavailable if it does not respond within this time after the start of a request. */
export const S3_ANSWER_TIMEOUT_MS = 10_000;
/** An upload may take longer, by the time that its bytes need at this rate, about 1 MB a second. */
const SLOWEST_BYTES_PER_MS = 1_000;
/** The store is unavailable if no data is transferred on an open connection for this long. */
const S3_IDLE_TIMEOUT_MS = 15_000;
/** The first attempt and one more, because the caller waits. */
const S3_ATTEMPTS = 2;
/** Errors are reported by the caller; otherwise the client would write them to the console. */
const silent = () => undefined;
const SILENT = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };
/** The maximum number of files in one delete request. */
const DELETE_BATCH = 1_000;

export function createS3Driver(
  { bucket, endpoint, region, credentials }: S3Settings,
  { answerTimeoutMs = S3_ANSWER_TIMEOUT_MS }: { answerTimeoutMs?: number } = {},
): StoreDriver {
  const client = new S3Client({
    region,
    ...(credentials && { credentials }),
    // Self-hosted servers seldom have a host name per bucket.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    maxAttempts: S3_ATTEMPTS,
    logger: SILENT,
    // Not every compatible server supports the newer checksums, and S3 does not require them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: S3_CONNECT_TIMEOUT_MS,
      requestTimeout: answerTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: S3_IDLE_TIMEOUT_MS,
    },
  });
  const at = (key: string) => ({ Bucket: bucket, Key: key });

  return {
    put: (key, body, sizeBytes) =>
      reaching(async () => {
        // The client does not notice an error of the source, but the announced length is never reached, so nothing is stored.
        const failed = new AbortController();
        body.once('error', (error) => failed.abort(error));
        await client.send(
          new PutObjectCommand({
            ...at(key),
            Body: body,
            ContentLength: sizeBytes,
            ContentType: contentTypeOf(key),
          }),
          {
            abortSignal: failed.signal,
            requestTimeout: answerTimeoutMs + Math.ceil(sizeBytes / SLOWEST_BYTES_PER_MS),
          },
        );
      }),
    get: (key, range) =>
      reaching(async () => {
        const asked = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
        const answer = await unlessMissing(client.send(new GetObjectCommand({ ...at(key), ...asked })));
        if (answer === null) return null;
        if (!(answer.Body instanceof Readable)) throw new Error('a response without a body');
        const whole = /\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1];
        return {
          body: answer.Body,
          sizeBytes: whole === undefined ? (answer.ContentLength ?? 0) : Number(whole),
          modifiedAt: answer.LastModified ?? new Date(0),
        };
      }),
    sizeOf: (key) =>
      reaching(async () => {
        const answer = await unlessMissing(client.send(new HeadObjectCommand(at(key))));
        return answer === null ? null : (answer.ContentLength ?? 0);
      }),
    remove: (key) =>
      reaching(async () => {
        await unlessMissing(client.send(new DeleteObjectCommand(at(key))));
      }),
    removeAll: (prefix) =>
      reaching(async () => {
        let removed = 0;
        for (;;) {
          const page = await client.send(
            new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: DELETE_BATCH }),
          );
          const keys = (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]));
          if (keys.length === 0) return removed;
          const { Errors: failed } = await client.send(
            new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys, Quiet: true } }),
          );
          if (failed && failed.length > 0) throw new Error(`${failed.length} files could not be removed`);
          removed += keys.length;
        }
      }),
    downloadUrl: (key, seconds, now) =>
      reaching(() =>
        getSignedUrl(
          client,
          new GetObjectCommand({
            ...at(key),
            ResponseContentType: contentTypeOf(key),
            ResponseContentDisposition: dispositionOf(key),
          }),
          { expiresIn: seconds, signingDate: now },
        ),
      ),
  };
}

/** Null if there is no such file. A missing bucket has a different error name, and is an error. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) return null;
    throw error;
  }
}
