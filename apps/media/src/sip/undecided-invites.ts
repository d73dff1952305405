/**
 * INVITEs that wait for realtime's decision. One that gets its final response earlier is withdrawn: realtime may have created its call, or
 * may still do so, without the reply reaching this node.
 */
import type { InviteDecision, InviteRequest, LegEnd } from '@clarion/protocol/media';
import type { RequestDecision } from './receive-invite.ts';

export type ReportWithdrawn = (request: InviteRequest, end: LegEnd) => void;

export class UndecidedInvites {
  readonly #report: ReportWithdrawn;
  readonly #withdrawals = new Set<(end: LegEnd) => void>();

  constructor(report: ReportWithdrawn) {
    this.#report = report;
  }

  /**
   * @param withdrawn ends the wait with this reason; the INVITE has its final response or can no longer get one
   * @param noDecision the end if no realtime node decides
   * @returns null if the INVITE was withdrawn
   */
  async decide(
    request: InviteRequest,
    requestDecision: RequestDecision,
    { withdrawn, noDecision }: { withdrawn: Promise<LegEnd>; noDecision: LegEnd },
  ): Promise<InviteDecision | null> {
    const aborter = new AbortController();
    const { promise: abandoned, resolve: withdraw } = Promise.withResolvers<LegEnd>();
    this.#withdrawals.add(withdraw);
    try {
      const asked = requestDecision(request, aborter.signal).then((decision) => decision ?? noDecision);
      const result = await Promise.race([asked, withdrawn, abandoned]);
      if ('action' in result) return result;
      aborter.abort();
      this.#report(request, result);
      return null;
    } finally {
      this.#withdrawals.delete(withdraw);
    }
  }

  /** Withdraws all of them: the connection to the SIP server is lost, or the node is stopping. */
  withdrawAll(end: LegEnd): void {
    for (const withdraw of this.#withdrawals) withdraw(end);
  }
}
