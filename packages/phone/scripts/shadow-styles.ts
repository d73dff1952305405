/** Tailwind's CSS for a shadow root: what it says of the page's root is said of the host, and nothing depends on the page around. */
import postcss, { type AtRule, type Root } from 'postcss';
import tailwind from '@tailwindcss/postcss';

/** A page may set another size on its root; the phone's own rem is the browsers' usual one. */
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

/** `@property` is heard in a document only. Its initial values are said of every element instead, under all other rules. */
function hoistProperties(root: Root): void {
  const initial = new Map<string, string>();
  root.walkAtRules('property', (rule: AtRule) => {
    rule.walkDecls('initial-value', ({ value }) => void initial.set(rule.params, value));
    if (!initial.has(rule.params)) initial.set(rule.params, 'initial');
    rule.remove();
  });
  // Tailwind's own way round, for browsers without @property only.
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
