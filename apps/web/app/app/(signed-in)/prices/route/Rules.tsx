import { CheckList, Section, TextLink, type Check } from '@clarion/ui';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { ruleWords, type RoutePreview, type RuleCode } from '#lib/dashboard/usage/route-rules.ts';
import type { RouteQuestion } from './RouteForm.tsx';

/** The rules in the order in which they are checked; those after the first refusal are not checked. */
export function Rules({ asked, preview }: { asked: RouteQuestion; preview: RoutePreview }) {
  const checks = Object.keys(ruleWords).map((code) => checkOf(code as RuleCode, asked, preview));
  return (
    <Section title="Rules" description="Checked in this order, up to the first one that refuses the call.">
      <CheckList label="Rules" checks={checks} />
    </Section>
  );
}

function checkOf(code: RuleCode, asked: RouteQuestion, { rules, refusal }: RoutePreview): Check {
  const { title, fix, page } = ruleWords[code];
  const rule = rules.find((one) => one.code === code);
  if (!rule) return { key: code, state: 'skipped', title, text: 'Not checked' };
  if (rule.passed) return { key: code, state: 'ok', title };
  return {
    key: code,
    state: 'failed',
    title,
    text: refusal?.message,
    fix,
    ...(page !== null && { action: <TextLink href={hrefOf(page.of, asked)}>{page.label}</TextLink> }),
  };
}

function hrefOf(page: 'tenant' | 'line', { tenantRef, channelRef }: RouteQuestion): string {
  return page === 'tenant'
    ? `/app/tenants?${new URLSearchParams({ open: tenantRef })}`
    : `${tenantHome(tenantRef)}/lines?${new URLSearchParams({ open: channelRef })}`;
}
