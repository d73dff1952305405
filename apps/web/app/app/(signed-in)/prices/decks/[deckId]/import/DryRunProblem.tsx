'use client';

import { Button, Notice } from '@clarion/ui';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import type { RequestProblem } from '#lib/dashboard/request.ts';
import type { SheetFile } from './use-dry-run.ts';

interface DryRunProblemProps {
  problem: RequestProblem;
  file: SheetFile;
  onRetry(): void;
  onOtherFile(): void;
}

/** Why the service could not read the file, or could not be reached. */
export function DryRunProblem({ problem, file, onRetry, onOtherFile }: DryRunProblemProps) {
  const isAboutFile = problem.status >= 400 && problem.status < 500;
  return (
    <Notice
      tone="negative"
      title={isAboutFile ? `${file.name} cannot be imported` : 'The file could not be read'}
      action={
        isAboutFile ? (
          <Button onClick={onOtherFile}>Choose another file</Button>
        ) : (
          <Button onClick={onRetry}>Try again</Button>
        )
      }
    >
      {fileMessage(problem, file.name)}
    </Notice>
  );
}

/** The API names the field, people the file. */
export const fileMessage = (problem: RequestProblem, name: string): string =>
  problemMessage(problem).replace(/^csv\b/, `“${name}”`);
