/** Decides on INVITEs that media reports, and stores rejections for the trunks' diagnostics. */
import { createInboundCall } from '@clarion/core/call-engine/create-inbound-call';
import { recordRefusal } from '@clarion/core/call-engine/refusal';
import type { InviteDecision, InviteRequest } from '@clarion/protocol/media';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { RefusalBudget } from './refusal-budget.ts';

export class Invites {
  readonly #deps: Deps;
  readonly #engine: CallEngine;
  readonly #budget = new RefusalBudget();

  constructor(deps: Deps, engine: CallEngine) {
    this.#deps = deps;
    this.#engine = engine;
  }

  /** @param reply sends media the decision, before any command about the call */
  async answer(question: InviteRequest, reply: (answer: InviteDecision) => void): Promise<void> {
    const { db, log, now } = this.#deps;
    const { answer, refusal, pending } = await createInboundCall(this.#deps, question, now());
    const { inviteId, source } = question;
    if (answer.action === 'accept') {
      log.info({ inviteId, callId: answer.callId }, 'INVITE accepted');
    } else {
      const { status } = answer;
      const facts = { inviteId, status, reason: refusal?.reason, trunkIds: refusal?.trunkIds };
      // Only the operator can fix this: by changing a trunk's addresses, or by giving the carrier the ingress host.
      if (refusal?.ambiguous) log.warn(facts, 'INVITE rejected: lines of several tenants match');
      else log.info(facts, 'INVITE rejected');
    }
    reply(answer);
    this.#engine.run(pending);
    if (refusal && this.#budget.take(refusal, source.address, now())) {
      // Diagnostics do not delay the decision.
      recordRefusal(db, refusal, question, now()).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to store a rejected INVITE'),
      );
    }
  }
}
