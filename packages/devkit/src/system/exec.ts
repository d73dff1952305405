import { spawn } from 'node:child_process';
import { UserError } from '../terminal/log.ts';

const TAIL_LINES = 40; // of a failed command's output

/** Process groups of running commands. Ctrl-C does not reach them, so they are killed when this process exits. */
const groups = new Set<number>();
process.once('exit', () => groups.forEach(killGroup));

export interface ExecOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
  onLine?: (line: string) => void;
  /** Resolve with any exit code instead of rejecting. */
  allowFailure?: boolean;
}

/**
 * Runs a command until it exits. Collects its output and passes it line by line to `onLine`. Rejects with a `UserError` that contains the
 * end of the output if the exit code is not 0.
 */
export function exec(
  command: string,
  args: string[],
  options: ExecOptions = {},
): Promise<{ code: number; output: string }> {
  const { cwd, env = process.env, timeoutMs, onLine, allowFailure = false } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: timeoutMs !== undefined, // in a separate group, so that a timeout also kills its descendants
    });
    const group = timeoutMs === undefined ? undefined : child.pid;
    if (group !== undefined) groups.add(group);
    let output = '';
    let rest = '';
    const take = (chunk: string) => {
      output += chunk;
      if (!onLine) return;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach((line) => onLine(line));
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            output += `\n(timed out after ${timeoutMs / 1000} s)`;
            if (group !== undefined) killGroup(group);
          }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      if (allowFailure) resolve({ code: 127, output: error.message });
      else reject(new UserError(`${command}: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (group !== undefined) groups.delete(group);
      if (rest) onLine?.(rest);
      const status = code ?? 128;
      if (status === 0 || allowFailure) resolve({ code: status, output });
      else {
        const tail = output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
        reject(new UserError(`${command} ${args.join(' ')} exited with ${signal ?? status}\n${tail}`));
      }
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has exited in the meantime
  }
}
