/** Adapts Tailwind's CSS to a shadow root: rules for the page's root apply to the host, and nothing depends on the surrounding page. */
import postcss, { type AtRule, type Root } from 'postcss';
import tailwind from '@tailwindcss/postcss';

/** A page may change the size of its root, so `rem` is fixed to the browsers' default. */
const PX_PER_REM = 16;

export async function shadowStyles(css: string, from: string): Promise<string> {
  const compiled = await postcss([tailwind({ optimize: false })]).process(css, { from });
  const { css: fitted } = await postcss([{ postcssPlugin: 'shadow-root', Once: fit }]).process(compiled.css, {
    from: undefined,
  });
  return fitted;
}

function fit(root: Root): void {
  hoistProperties(root);
  root.walkRules((rule) => {
    rule.selectors = [
      ...new Set(rule.selectors.map((selector) => selector.replace(/^(:root|html)$/, ':host'))),
    ];
  });
  root.walkDecls((declaration) => {
    declaration.value = inPixels(declaration.value);
  });
  root.walkAtRules(/^(container|media)$/, (rule) => {
    rule.params = inPixels(rule.params);
  });
}

/** `@property` has no effect in a shadow root. Its initial values are set on every element instead, with the lowest precedence. */
function hoistProperties(root: Root): void {
  const initial = new Map<string, string>();
  root.walkAtRules('property', (rule: AtRule) => {
    rule.walkDecls('initial-value', ({ value }) => void initial.set(rule.params, value));
    if (!initial.has(rule.params)) initial.set(rule.params, 'initial');
    rule.remove();
  });
  // Tailwind's own fallback applies only to browsers without @property.
  root.walkAtRules('layer', (rule) => {
    if (rule.params === 'properties' && rule.nodes) rule.remove();
  });
  const everything = postcss.rule({ selector: '*, ::before, ::after, ::backdrop' });
  for (const [prop, value] of initial) everything.append({ prop, value });
  const layer = postcss.atRule({ name: 'layer', params: 'properties' });
  layer.append(everything);
  root.append(layer);
}

const inPixels = (text: string): string =>
  text.replaceAll(
    /(?<![\w.-])(-?\d*\.?\d+)rem\b/g,
    (_, amount: string) => `${Number(amount) * PX_PER_REM}px`,
  );
