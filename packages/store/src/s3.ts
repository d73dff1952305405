/** Files in a bucket of S3 or of anything that speaks like it. */
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

/** No connection in this time: the store is away. */
export const S3_CONNECT_TIMEOUT_MS = 2_000;
/** No answer in this time after the request was begun: the store is away. */
export const S3_ANSWER_TIMEOUT_MS = 10_000;
/** An upload may take as much longer as its bytes need at this rate, about 1 MB a second. */
const SLOWEST_BYTES_PER_MS = 1_000;
/** Nothing moves on an open connection for so long: the store is away. */
const S3_IDLE_TIMEOUT_MS = 15_000;
/** The first try and one more; whoever asked waits meanwhile. */
const S3_ATTEMPTS = 2;
/** What fails is said by whoever asked; the client would write it to the console. */
const silent = () => undefined;
const SILENT = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };
/** As many as one request may delete. */
const DELETE_BATCH = 1_000;

export function createS3Driver(
  { bucket, endpoint, region, credentials }: S3Settings,
  { answerTimeoutMs = S3_ANSWER_TIMEOUT_MS }: { answerTimeoutMs?: number } = {},
): StoreDriver {
  const client = new S3Client({
    region,
    ...(credentials && { credentials }),
    // A server of one's own seldom has a host name per bucket.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    maxAttempts: S3_ATTEMPTS,
    logger: SILENT,
    // Not every compatible server knows the newer checksums; S3 itself asks for none.
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
        // The client hears nothing of a source that fails; the announced length never comes, so nothing is stored.
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
        if (!(answer.Body instanceof Readable)) throw new Error('an answer without a body');
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

/** Null where there is no such file. A missing bucket has another name, and is an error. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) return null;
    throw error;
  }
}
