import { spawn } from 'node:child_process';
import { Sorry } from './log.mjs';

const LAST_LINES = 40; // of a failed command's output

/** Ctrl-C does not reach a group of its own: what still runs when we end is ended. */
const groups = new Set();
process.once('exit', () => groups.forEach(killGroup));

/**
 * Runs a command to its end. Output is kept and shown only when the command fails, or passed line by line to `onLine`.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, onLine?: (line: string) => void,
 *   inherit?: boolean, allowFailure?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>} rejects with `Sorry` when the code is not 0
 */
export function exec(command, args, options = {}) {
  const { cwd, env = process.env, timeoutMs, onLine, inherit = false, allowFailure = false } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: inherit ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      detached: timeoutMs !== undefined, // its own group, so that a time-out ends what it started as well
    });
    if (timeoutMs !== undefined) groups.add(child.pid);
    let output = '';
    let rest = '';
    const take = (chunk) => {
      output += chunk;
      if (!onLine) return;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach((line) => onLine(line));
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            output += `\n(timed out after ${timeoutMs / 1000} s)`;
            killGroup(child.pid);
          }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      if (allowFailure) resolve({ code: 127, output: error.message });
      else reject(new Sorry(`${command}: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      groups.delete(child.pid);
      if (rest) onLine?.(rest);
      const status = code ?? 128;
      if (status === 0 || allowFailure) resolve({ code: status, output });
      else {
        const tail = output.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
        reject(new Sorry(`${command} ${args.join(' ')} exited with ${signal ?? status}\n${tail}`));
      }
    });
  });
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it ended by itself in the meantime
  }
}
