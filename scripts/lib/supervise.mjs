/** Keeps one process running: restarts it when it dies, with back-off, and stops it for good when asked. */
import { spawn } from 'node:child_process';
import { Sorry } from './log.mjs';

/** docs/requirements.md#processes */
const FIRST_RESTART_MS = 200;
const LONGEST_RESTART_MS = 10_000;
const STOP_TIMEOUT_MS = 12_000;
const HEALTH_POLL_MS = 100;
const HEALTH_REQUEST_TIMEOUT_MS = 2_000;
const HEALTH_TIMEOUT_MS = 90_000;
const KILL_WAIT_MS = 5_000;
/** For what it said last, after its end: somebody who left its group may hold its output open. */
const LAST_WORDS_MS = 1_000;
/** A process that has died this often without once being healthy will not become so: whoever waits is told. */
const HOPELESS_AFTER = 5;
const LAST_LINES = 25;

/**
 * @typedef {object} ProcessSpec
 * @property {string} name
 * @property {string} command
 * @property {string[]} args
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {() => Promise<boolean>} healthy asked again and again until true
 * @property {NodeJS.Signals} [stopSignal] default SIGTERM
 */

/**
 * @param {ProcessSpec} spec
 * @param {{ onLine: (name: string, line: string) => void, restart?: boolean }} options
 */
export function supervise(spec, { onLine, restart = true }) {
  const { name } = spec;
  const lastLines = [];
  let child;
  let isHealthy = false;
  let exited = Promise.resolve();
  let stopping = false;
  let isDown = false; // taken down on purpose
  let failures = 0; // in a row, without having been healthy
  let restarts = 0;
  let restartTimer;

  const report = (line) => {
    lastLines.push(line);
    if (lastLines.length > LAST_LINES) lastLines.shift();
    onLine(name, line);
  };

  function start() {
    isHealthy = false;
    child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      ...(spec.uid === undefined ? {} : { uid: spec.uid, gid: spec.gid }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // a group of its own: Ctrl-C in the terminal reaches us alone, and we stop it in order
    });
    const current = child;
    current.stdin.on('error', () => undefined); // it died: `exit` says so
    lines(current.stdout, report);
    lines(current.stderr, report);
    let ended = false;
    exited = new Promise((resolve) => {
      const end = (reason) => {
        if (ended) return;
        ended = true;
        killGroup(current.pid, 'SIGKILL'); // whatever it left behind
        current.once('close', resolve);
        setTimeout(resolve, LAST_WORDS_MS).unref();
        if (!stopping) died(reason);
      };
      current.once('error', (error) => end(error.message));
      current.once('exit', (code, signal) => end(signal ?? `code ${code}`));
    });
    void watchHealth(current);
  }

  async function watchHealth(current) {
    while (current === child && isRunning()) {
      const answered = await spec.healthy();
      if (answered && current === child && isRunning()) {
        isHealthy = true;
        failures = 0;
        return;
      }
      await later(HEALTH_POLL_MS);
    }
  }

  function died(reason) {
    if (!restart || isDown) return report(`exited with ${reason}`);
    if (!isHealthy) failures += 1;
    isHealthy = false;
    const delay = Math.min(FIRST_RESTART_MS * 2 ** Math.max(0, failures - 1), LONGEST_RESTART_MS);
    restarts += 1;
    report(`exited with ${reason}; restarting it in ${delay / 1000} s`);
    restartTimer = setTimeout(start, delay);
  }

  const isRunning = () =>
    child !== undefined && child.exitCode === null && child.signalCode === null && !!child.pid;
  const withLastLines = (text) => new Sorry([text, ...lastLines.map((line) => `  ${line}`)].join('\n'));

  start();
  return {
    name,
    get pid() {
      return isRunning() ? child.pid : undefined;
    },
    get restarts() {
      return restarts;
    },
    /** Sends a signal and resolves when the process is gone; a signal that it survives gives up after 5 s. */
    async kill(signal = 'SIGKILL') {
      if (!isRunning()) return;
      const gone = exited;
      child.kill(signal);
      await Promise.race([gone, later(KILL_WAIT_MS)]);
    },
    /** Kills the process and leaves it dead until `bringUp`, as a machine that is gone. */
    async takeDown(signal = 'SIGKILL') {
      isDown = true;
      clearTimeout(restartTimer);
      await this.kill(signal);
    },
    bringUp() {
      if (!isDown) return;
      isDown = false;
      if (!isRunning()) start();
    },
    /** Resolves once the process answers; rejects after 90 s, or when it keeps ending before it ever does. */
    async waitHealthy() {
      const deadline = Date.now() + HEALTH_TIMEOUT_MS;
      while (!(isHealthy && isRunning())) {
        if (stopping || (!restart && !isRunning())) throw withLastLines(`${name} is not running`);
        if (failures >= HOPELESS_AFTER) throw withLastLines(`${name} keeps exiting before it is ready:`);
        if (Date.now() > deadline)
          throw withLastLines(`${name} was not ready in ${HEALTH_TIMEOUT_MS / 1000} s:`);
        await later(HEALTH_POLL_MS);
      }
    },
    async stop() {
      stopping = true;
      clearTimeout(restartTimer);
      if (!isRunning()) return;
      child.kill(spec.stopSignal ?? 'SIGTERM');
      child.stdin.end();
      const timer = setTimeout(() => {
        onLine(name, `did not stop in ${STOP_TIMEOUT_MS / 1000} s and was killed`);
        killGroup(child.pid, 'SIGKILL');
      }, STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** `GET url` answers 200. */
export async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_REQUEST_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function lines(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) if (line.trim()) onLine(line);
  });
  stream.on('end', () => {
    if (rest.trim()) onLine(rest);
  });
}

function killGroup(pid, signal) {
  if (!pid) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // nothing of it is left
  }
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
