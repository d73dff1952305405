/** The account's recording policy, which applies if neither the tenant nor the line has its own setting. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { required } from '../fields/fields.ts';

export const putRecordingPolicyBody = z.object({ enabled: required(z.boolean()) });
export type PutRecordingPolicy = z.output<typeof putRecordingPolicyBody>;

export const recordingPolicyResource = z.strictObject({ enabled: z.boolean() });
export type RecordingPolicyResource = z.infer<typeof recordingPolicyResource>;

const one = z.strictObject({ recordingPolicy: recordingPolicyResource });
const path = '/v1/recording-policy';
const common = {
  path,
  answer: { status: 200, body: one },
  errors: [],
  role: 'own',
  oneTenantSession: false,
} as const;

export const recordingPolicyEndpoints = {
  putRecordingPolicy: defineEndpoint({
    ...common,
    method: 'PUT',
    summary:
      'Sets whether calls are recorded if neither the tenant nor the channel has its own setting. It applies to calls that begin after the change.',
    body: putRecordingPolicyBody,
    example: { body: { enabled: true }, answer: { recordingPolicy: { enabled: true } } },
  }),
  getRecordingPolicy: defineEndpoint({
    ...common,
    method: 'GET',
    summary: 'Returns whether calls are recorded if neither the tenant nor the channel has its own setting.',
    example: { answer: { recordingPolicy: { enabled: true } } },
  }),
};
