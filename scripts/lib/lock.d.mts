export function withLock<T>(path: string, what: string, work: () => Promise<T>): Promise<T>;
