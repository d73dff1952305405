/** Rendering Markdown as HTML. */
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../src/render/index.ts';

const render = (markdown: string) => renderMarkdown(markdown, 'https://calls.example.com');

describe('rendering', () => {
  test('makes links to this service relative and keeps others', () => {
    const { html } = render('[a](https://calls.example.com/docs/x#y) [b](https://example.com)');
    expect(html).toContain('<a href="/docs/x#y">a</a>');
    expect(html).toContain('<a href="https://example.com" rel="noreferrer">b</a>');
  });

  test('gives headings unique IDs, repeated headings included, and builds an outline', () => {
    const { html, outline } = render('# Title\n\n## `call.ended` now\n\n### More\n\n## More');
    expect(outline).toEqual([
      { id: 'call-ended-now', text: 'call.ended now', depth: 2 },
      { id: 'more', text: 'More', depth: 3 },
      { id: 'more-1', text: 'More', depth: 2 },
    ]);
    expect(html).toContain('<h2 id="call-ended-now"><code>call.ended</code> now');
  });

  test('turns consecutive labelled blocks into tabs, and no others', () => {
    const { html } = render(
      '```js Node\n1\n```\n\n```python Python\n2\n```\n\n```json\n{}\n```\n\ntext\n\n```js Node\n3\n```',
    );
    expect(html.match(/role="tablist"/g)).toHaveLength(1);
    expect(html.match(/role="tab"/g)).toHaveLength(2);
    expect(html.match(/role="tabpanel"[^>]* hidden/g)).toHaveLength(1);
  });

  test('escapes code in known and unknown languages', () => {
    for (const language of ['js', 'cobol'])
      expect(render(`\`\`\`${language}\n<script>&"\n\`\`\``).html).not.toContain('<script>');
    expect(render('`<b>`').html).toContain('&lt;b&gt;');
  });

  test('shows planned features and warnings as notes', () => {
    expect(render('> **Planned.** Later.').html).toContain('class="doc-note doc-note-planned" role="note"');
    expect(render('> **Careful.** Hot.').html).toContain('doc-note-careful');
    expect(render('> Just so.').html).toContain('doc-note-note');
  });
});
