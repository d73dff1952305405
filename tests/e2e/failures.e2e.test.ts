/**
 * Refused INVITEs on a real wire: the carrier gets a status that reveals nothing, and the trunk's diagnostics get the code of the failure
 * catalogue with a sentence.
 */
import { failureDocs, failures } from '@clarion/protocol';
import type { DiagnosticsResource } from '@clarion/protocol/v1/tenant/trunk-diagnostics';
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RefusalScene, refusalRows, storedRefusal } from './failures/refusals.ts';
import type { RefusalRow, RefusedCode } from './failures/refusals.ts';

/** Read by tests/failure-catalogue.test.ts: every entry of the catalogue is produced by a test. */
export const producedFailures: readonly RefusedCode[] = [
  'source_unknown',
  'trunk_not_active',
  'ingress_host_required',
  'number_ambiguous',
  'number_without_line',
  'called_number_invalid',
  'tech_prefix_without_number',
  'tech_prefix_without_rule',
  'call_filter',
  'forwarding_trunk_not_active',
  'too_many_hops',
  'account_suspended',
  'concurrent_call_limit',
  'no_credit',
  'invite_malformed',
  'no_common_codec',
  'address_family',
  'line_disabled',
  'line_without_route',
  'owner_unavailable',
  'owner_busy',
];

let t: TestStack;

beforeAll(async () => {
  t = await TestStack.share();
});
afterAll(async () => {
  await t?.stop();
});

test('every row is listed', () => expect(Object.keys(refusalRows)).toEqual(producedFailures));

test.each(producedFailures)('%s is stored for its trunk', async (code) => {
  const scene = await RefusalScene.open(t);
  const { status, place, withoutTrunk = false }: RefusalRow = refusalRows[code];
  const call = await place(scene);
  expect(await call.ended()).toMatchObject({ how: 'refused', status });
  const source = withoutTrunk ? '127.0.15.250' : scene.source;
  const refusal = await storedRefusal(t, source, withoutTrunk ? null : scene.account.trunkId);
  expect(refusal).toMatchObject({ status, code });
  expect(refusal.reason).toMatch(/^[A-Z].*\.$/);
  // A suspended account cannot use the API, and without a trunk there are no diagnostics.
  if (withoutTrunk || code === 'account_suspended') return;
  const { v1, trunkId } = scene.account;
  const { diagnostics } = await v1.ok<{ diagnostics: DiagnosticsResource }>(
    'GET',
    `/v1/sip-trunks/${trunkId}/diagnostics`,
  );
  const { fix, field } = failures[code];
  expect(diagnostics.refusals[0]).toMatchObject({ status, code, fix, field, docs: failureDocs(code) });
});
