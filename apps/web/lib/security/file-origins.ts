/** Where a browser fetches recordings and audio that are not stored on this host: the origin of the store's signed URLs. */
import { storeSettings } from '@clarion/store/settings';
import { readEnv } from '../../env.ts';

let known: readonly string[] | null = null;

export function fileOrigins(): readonly string[] {
  known ??= originsOf(storeSettings(readEnv()));
  return known;
}

export function originsOf({ s3 }: Pick<ReturnType<typeof storeSettings>, 's3'>): string[] {
  if (s3 === null) return [];
  if (s3.endpoint !== null) return [new URL(s3.endpoint).origin];
  return [
    `https://${s3.bucket}.s3.${s3.region}.amazonaws.com`,
    `https://${s3.bucket}.s3.amazonaws.com`,
    `https://s3.${s3.region}.amazonaws.com`,
  ];
}
