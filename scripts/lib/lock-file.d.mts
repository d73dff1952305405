export interface LockedPackage {
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
}
export function missingFromLock(lock: {
  packages: Record<string, LockedPackage>;
}): { name: string; version: string; dev: boolean | undefined }[];
