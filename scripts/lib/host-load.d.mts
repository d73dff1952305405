export interface HostWatch {
  stolenShare(from: number, to: number): number;
  stop(): void;
}
export function watchHost(readStat?: () => string): HostWatch;
