/** Results of tools, and the mapping of errors to MCP (docs/requirements.md#assistant-endpoint, 4). */
import { ApiError } from '@clarion/protocol';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { runtime } from '../api/runtime.ts';
import type { ApiAnswer } from './account.ts';
import { redact } from './redact.ts';

/** An error whose message the caller of the tool receives. */
export class ToolFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolFailure';
  }
}

/** An assistant reads the whole result; longer lists must be requested in pages. */
const MAX_ANSWER_CHARS = 200_000;

export const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

export const failure = (words: string): CallToolResult => ({ ...text(words), isError: true });

export const data = (value: Record<string, unknown>): CallToolResult => ({
  ...text(JSON.stringify(value)),
  structuredContent: value,
});

/** `{ status, body }` with secrets masked. An API error is an error of the tool. */
export function apiResult({ status, body, retryAfterSeconds }: ApiAnswer): CallToolResult {
  const shown = { status, body: redact(body), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  const result = data(shown);
  const length = JSON.stringify(shown).length;
  if (length > MAX_ANSWER_CHARS) {
    const words = `The response (status ${status}) has ${length} characters, which exceeds the limit of ${MAX_ANSWER_CHARS}. Request less data with limit, filters or pages.`;
    return status < 300 ? text(words) : failure(words);
  }
  return status < 300 ? result : { ...result, isError: true };
}

/** Runs a tool. Errors become messages; an unexpected error reveals no details. */
export async function answering(tool: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await tool();
  } catch (error) {
    if (error instanceof ToolFailure) return failure(error.message);
    if (error instanceof ApiError) {
      const { status, retryAfterSeconds } = error;
      return apiResult({
        status,
        body: error.toBody(),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      });
    }
    runtime().log.error({ err: error }, 'assistant tool failed');
    return failure(
      'The tool failed because of an unexpected error. Try again. If it fails again, contact the operator.',
    );
  }
}
