/** Answers media's questions about INVITEs, and keeps the refusals for the trunks' diagnostics. */
import { admitInvite } from '@clarion/core/call/engine/admit-invite';
import { recordRefusal } from '@clarion/core/call/engine/refusal';
import type { InviteAnswer, InviteQuestion } from '@clarion/protocol/media';
import type { Deps } from '../deps.ts';
import type { Engine } from '../engine/runner.ts';
import { RefusalBudget } from './refusal-budget.ts';

export class Invites {
  readonly #deps: Deps;
  readonly #engine: Engine;
  readonly #budget = new RefusalBudget();

  constructor(deps: Deps, engine: Engine) {
    this.#deps = deps;
    this.#engine = engine;
  }

  /** @param say gives media the answer: before any command about the call */
  async answer(question: InviteQuestion, say: (answer: InviteAnswer) => void): Promise<void> {
    const { db, log, now } = this.#deps;
    const { answer, refusal, pending } = await admitInvite(this.#deps, question, now());
    const { inviteId, source } = question;
    if (answer.action === 'take') {
      log.info({ inviteId, callId: answer.callId }, 'INVITE accepted');
    } else {
      const { status } = answer;
      const facts = { inviteId, status, reason: refusal?.reason, trunkIds: refusal?.trunkIds };
      // Only the operator can change the addresses of a trunk, or give the carrier its ingress host.
      if (refusal?.ambiguous) log.warn(facts, 'INVITE rejected: lines of several tenants match');
      else log.info(facts, 'INVITE rejected');
    }
    say(answer);
    this.#engine.run(pending);
    if (refusal && this.#budget.take(refusal, source.address, now())) {
      // Diagnostics do not delay the answer.
      recordRefusal(db, refusal, question, now()).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to store a SIP refusal'),
      );
    }
  }
}
