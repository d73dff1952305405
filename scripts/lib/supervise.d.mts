import type { SupervisedProcess } from './stack.d.mts';

export interface ProcessSpec {
  name: string;
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string | undefined>;
  uid?: number;
  gid?: number;
  /** Asked again and again until true. */
  healthy(): Promise<boolean>;
  stopSignal?: NodeJS.Signals;
}

export type Supervised = SupervisedProcess;

export function supervise(
  spec: ProcessSpec,
  options: { onLine: (name: string, line: string) => void; restart?: boolean },
): Supervised;

/** `GET url` answers 200. */
export function answers(url: string): Promise<boolean>;
