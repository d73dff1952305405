'use client';

import { ErrorState } from '@clarion/ui';
import type { RequestProblem } from '../request.ts';
import { problemMessage } from './error-messages.ts';

export interface ReadProblemProps {
  /** What could not be loaded, for example "The queues". */
  what: string;
  problem: RequestProblem;
  onRetry(): void;
}

export function ReadProblem({ what, problem, onRetry }: ReadProblemProps) {
  return (
    <ErrorState
      title={`${what} could not be loaded`}
      detail={problemMessage(problem)}
      {...(problem.requestId !== null && { requestId: problem.requestId })}
      onRetry={onRetry}
    />
  );
}
