/** Audio assets: audio files that callers hear. */
import { z } from 'zod';
import { shaped } from '../../openapi/input-shape.ts';
import { defineEndpoint } from '../endpoint.ts';
import { id, NAME_MAX_CHARS, optional, required, text, timestamp } from '../fields/fields.ts';

/** The request body of an upload (docs/requirements.md#limits); base64 takes 4 bytes for 3, so the file can have about 11 MB. */
export const AUDIO_MAX_BODY_BYTES = 15 * 1024 * 1024;
const STORAGE_KEY_MAX_CHARS = 400;
const MIME_TYPE_MAX_CHARS = 100;

export const audioMimeTypes = ['audio/wav', 'audio/mpeg', 'audio/ogg'] as const;
export type AudioMimeType = (typeof audioMimeTypes)[number];

/** Other names of the three media types. */
const MIME_TYPES: Readonly<Record<string, AudioMimeType>> = {
  'audio/wav': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mpeg': 'audio/mpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'audio/opus': 'audio/ogg',
  'audio/vorbis': 'audio/ogg',
};

/** Case-insensitive, with or without parameters (`audio/ogg; codecs=opus`). */
const mimeType = shaped(
  text(MIME_TYPE_MAX_CHARS)
    .transform((value) => MIME_TYPES[(value.split(';')[0] ?? '').trim().toLowerCase()] ?? value)
    .pipe(z.enum(audioMimeTypes)),
  { is: { type: 'string', enum: Object.keys(MIME_TYPES) } },
);

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** White space is removed first: a regular expression that allows it anywhere backtracks for hours on megabytes of it. */
const base64 = shaped(
  z.string().refine((value) => BASE64.test(value.replaceAll(/\s/g, '')), { error: 'must be base64' }),
  { is: { type: 'string', contentEncoding: 'base64' } },
);

/** Exactly one of `content_base64` and `storage_key` is required. */
export const createAudioAssetBody = z
  .object({
    name: required(text(NAME_MAX_CHARS)),
    mime_type: required(mimeType),
    content_base64: optional(base64),
    storage_key: optional(text(STORAGE_KEY_MAX_CHARS)),
  })
  .check(({ value, issues }) => {
    const { content_base64: content, storage_key: key } = value;
    if (content === undefined && key === undefined) {
      issues.push({
        code: 'custom',
        message: 'is required if storage_key is omitted',
        path: ['content_base64'],
        input: content,
      });
    } else if (content !== undefined && key !== undefined) {
      issues.push({
        code: 'custom',
        message: 'cannot be combined with content_base64',
        path: ['storage_key'],
        input: key,
      });
    }
  })
  .transform((body) => ({
    name: body.name,
    mimeType: body.mime_type,
    contentBase64: body.content_base64 ?? null,
    storageKey: body.storage_key ?? null,
  }));
export type CreateAudioAsset = z.output<typeof createAudioAssetBody>;

export const audioAssetResource = z.strictObject({
  id,
  name: z.string(),
  mimeType: z.enum(audioMimeTypes),
  /** To the millisecond. */
  durationSeconds: z.number(),
  /** Of the uploaded file. */
  sizeBytes: z.number().int(),
  storageProvider: z.enum(['local', 's3']),
  createdAt: timestamp,
});
export type AudioAssetResource = z.infer<typeof audioAssetResource>;

const example = {
  id: 5,
  name: 'Welcome',
  mimeType: 'audio/wav',
  durationSeconds: 3.2,
  sizeBytes: 51_244,
  storageProvider: 's3',
  createdAt: '2026-01-05T09:00:00.000Z',
};
const one = z.strictObject({ audioAsset: audioAssetResource });
const ofTenant = '/v1/tenants/{tenantRef}/audio-assets';
const path = '/v1/tenants/{tenantRef}/audio-assets/{assetId}';
const pathExample = { tenantRef: 'acme', assetId: 5 };

export const audioEndpoints = {
  createAudioAsset: defineEndpoint({
    method: 'POST',
    path: ofTenant,
    summary:
      "Creates an audio asset from a WAV, MP3 or Ogg (Vorbis or Opus) file of at most 30 minutes. Send the file as base64, or give the storage key of a file that is already among the tenant's uploads. The account's plan limits the number of assets per tenant and their total decoded size; a request that exceeds a limit returns 409 with the limit in `details`. Send an Idempotency-Key so that a retry does not create a second asset.",
    body: createAudioAssetBody,
    answer: { status: 201, body: one },
    errors: [
      'not_found',
      'audio_limit_reached',
      'storage_unavailable',
      'idempotency_key_in_use',
      'idempotency_key_reused',
    ],
    role: 'manage',
    oneTenantSession: true,
    maxBodyBytes: AUDIO_MAX_BODY_BYTES,
    example: {
      path: { tenantRef: 'acme' },
      // A complete WAV file with a tenth of a millisecond of silence.
      body: {
        name: 'Welcome',
        mime_type: 'audio/wav',
        content_base64: 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==',
      },
      answer: { audioAsset: example },
    },
  }),
  listAudioAssets: defineEndpoint({
    method: 'GET',
    path: ofTenant,
    summary: 'Lists all audio assets of the tenant, oldest first.',
    answer: { status: 200, body: z.strictObject({ audioAssets: z.array(audioAssetResource) }) },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: { tenantRef: 'acme' }, answer: { audioAssets: [example] } },
  }),
  getAudioAsset: defineEndpoint({
    method: 'GET',
    path,
    summary: 'Returns an audio asset.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: pathExample, answer: { audioAsset: example } },
  }),
  getAudioAssetUrl: defineEndpoint({
    method: 'GET',
    path: `${path}/url`,
    summary: 'Returns a short-lived URL for downloading the audio asset as it was uploaded.',
    answer: { status: 200, body: z.strictObject({ url: z.string(), expiresInSeconds: z.number().int() }) },
    errors: ['not_found', 'storage_unavailable'],
    role: 'view',
    oneTenantSession: true,
    example: {
      path: pathExample,
      answer: {
        url: 'https://calls.example.com/files/tenants/1/audio/9f0c/original.wav?expires=1767604200&signature=Zk3v',
        expiresInSeconds: 300,
      },
    },
  }),
  deleteAudioAsset: defineEndpoint({
    method: 'DELETE',
    path,
    summary:
      'Deletes an audio asset and its files. An asset that a queue uses as hold audio or that an IVR flow plays cannot be deleted.',
    answer: { status: 204 },
    errors: ['not_found', 'in_use', 'storage_unavailable'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: pathExample },
  }),
};
