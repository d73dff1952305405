/** Answers media's questions about INVITEs, and keeps the refusals for the trunks' diagnostics. */
import { admitInvite } from '@clarion/core/call/engine/admit-invite';
import { recordRefusal } from '@clarion/core/call/engine/match-trunk';
import type { Refusal } from '@clarion/core/call/engine/match-trunk';
import type { InviteAnswer, InviteQuestion } from '@clarion/protocol/media';
import type { Deps } from '../deps.ts';
import type { Engine } from '../engine/runner.ts';

/** Scanners of the internet knock thousands of times a minute: of calls on no trunk, this many a minute are kept. */
const MAX_STRANGERS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;

export class Invites {
  readonly #deps: Deps;
  readonly #engine: Engine;
  #minute = 0;
  #strangers = 0;

  constructor(deps: Deps, engine: Engine) {
    this.#deps = deps;
    this.#engine = engine;
  }

  /** @param say gives media the answer: before any command about the call */
  async answer(question: InviteQuestion, say: (answer: InviteAnswer) => void): Promise<void> {
    const { db, log, now } = this.#deps;
    const { answer, refusal, pending } = await admitInvite(this.#deps, question, now());
    const { inviteId } = question;
    if (answer.action === 'take') log.info({ inviteId, callId: answer.callId }, 'INVITE taken');
    else log.info({ inviteId, status: answer.status, reason: refusal?.reason }, 'INVITE refused');
    say(answer);
    this.#engine.run(pending);
    if (refusal && this.#isKept(refusal)) {
      // Diagnostics do not delay the answer.
      recordRefusal(db, refusal, question, now()).catch((error: unknown) =>
        log.warn({ err: error }, 'a refusal was not kept'),
      );
    }
  }

  #isKept({ trunkId }: Refusal): boolean {
    if (trunkId !== null) return true;
    const minute = Math.floor(this.#deps.now().getTime() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#strangers = 0;
    }
    this.#strangers += 1;
    return this.#strangers <= MAX_STRANGERS_PER_MINUTE;
  }
}
