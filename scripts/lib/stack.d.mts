/** carrier: the far end of the demo account's trunk. realtime2, media2: the second node of each, where the options ask for them. */
export type ProcessName =
  'postgres' | 'sip' | 'carrier' | 'realtime' | 'realtime2' | 'media' | 'media2' | 'worker' | 'web';
export type PortName =
  | 'web'
  | 'realtime'
  | 'media'
  | 'worker'
  | 'webMetrics'
  | 'realtimeMetrics'
  | 'sip'
  | 'sipTls'
  | 'sipControl'
  | 'webrtc';

export interface SupervisedProcess {
  readonly name: string;
  /** Undefined while it is down. */
  readonly pid: number | undefined;
  readonly restarts: number;
  /** Resolves when the process is gone; supervision then starts it again. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Kills it and leaves it dead until `bringUp`. */
  takeDown(signal?: NodeJS.Signals): Promise<void>;
  bringUp(): void;
  waitHealthy(): Promise<void>;
  stop(): Promise<void>;
}

export interface StackOptions {
  /** Default CLARION_DATA_DIR, or .clarion beside package.json. */
  dataDir?: string;
  ports?: Partial<Record<PortName, number>>;
  /** Instead of process.env: give DATABASE_URL to use a database that exists. */
  env?: Record<string, string | undefined>;
  only?: Exclude<ProcessName, 'postgres'>[];
  /** Starts a second node of these as well: realtime2, media2. */
  second?: readonly ('realtime' | 'media')[];
  dev?: boolean;
  restart?: boolean;
  /** False when the database is known to be up to date. */
  migrate?: boolean;
  seed?: boolean;
  onLine?: (name: string, line: string) => void;
}

export interface Stack {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly mode: { production: boolean; reason: string };
  readonly ports: Record<PortName, number> &
    Partial<Record<'realtime2' | 'realtimeMetrics2' | 'media2' | 'webrtc2', number>>;
  /** What every process was given. */
  readonly env: Record<string, string>;
  readonly processes: Partial<Record<ProcessName, SupervisedProcess>>;
  kill(name: ProcessName, signal?: NodeJS.Signals): Promise<void>;
  waitHealthy(name: ProcessName): Promise<void>;
  /** Until the process reaches all it needs: after a kill of something it is connected to. */
  waitReady(name: ProcessName): Promise<void>;
  stop(): Promise<void>;
}

export function startStack(options?: StackOptions): Promise<Stack>;
export function runningStack(
  dataDir: string,
): { pid: number; baseUrl: string; env: Record<string, string> } | undefined;
