'use client';

import { ErrorState } from '@clarion/ui';
import type { RequestProblem } from '../request.ts';
import { problemSentence } from './problem-words.ts';

export interface ReadProblemProps {
  /** What could not be read: "The queues". */
  what: string;
  problem: RequestProblem;
  onRetry(): void;
}

export function ReadProblem({ what, problem, onRetry }: ReadProblemProps) {
  return (
    <ErrorState
      title={`${what} could not be loaded`}
      detail={problemSentence(problem)}
      {...(problem.requestId !== null && { requestId: problem.requestId })}
      onRetry={onRetry}
    />
  );
}
