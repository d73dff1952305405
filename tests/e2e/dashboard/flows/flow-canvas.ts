/** Operates the flow builder with the mouse and the keyboard. */
import type { Locator, Page } from 'playwright-core';

/** Where a step is dragged: its header, next to its exits. */
const HEAD = { x: 30, y: 10 };

/** Distance from the canvas's edges, where there are no steps. */
const MARGIN = 8;

const MOST_TABS = 80;

export class FlowCanvas {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }
  step(id: string): Locator {
    return this.page.locator(`.react-flow__node[data-id="${id}"]`);
  }
  exitOf(id: string, exit: string): Locator {
    return this.step(id).locator(`.source[data-handleid="${exit}"]`);
  }
  entryOf(id: string): Locator {
    return this.step(id).locator('.target');
  }
  fromPalette(title: string): Locator {
    return this.page
      .getByRole('navigation', { name: 'Steps to add' })
      .getByRole('button', { name: new RegExp(`^${title}`) });
  }
  /** Shows the whole flow, and resolves when the view has come to rest. */
  async fitView(): Promise<void> {
    await this.button('Fit View').click();
    await this.page.evaluate(async () => {
      const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const view = () => document.querySelector<HTMLElement>('.react-flow__viewport')?.style.transform;
      for (let before; before !== view();) {
        before = view();
        await nextFrame();
        await nextFrame();
      }
    });
  }
  /** Selects a step, wherever the view is. */
  async select(id: string, also: 'alone' | 'too' = 'alone'): Promise<void> {
    await this.fitView();
    await this.step(id).click({ position: HEAD, ...(also === 'too' && { modifiers: ['Control'] }) });
  }
  /** Draws a selection box around everything. */
  async selectAllWithin(): Promise<void> {
    await this.fitView();
    const pane = await this.page.locator('.react-flow__pane').boundingBox();
    if (pane === null) throw new Error('there is no canvas');
    await this.page.keyboard.down('Shift');
    await this.page.mouse.move(pane.x + MARGIN, pane.y + MARGIN);
    await this.page.mouse.down();
    await this.page.mouse.move(pane.x + pane.width - MARGIN, pane.y + pane.height - MARGIN, { steps: 2 });
    await this.page.mouse.up();
    await this.page.keyboard.up('Shift');
  }
  async choose(label: string, option: string): Promise<void> {
    await this.page.getByRole('combobox', { name: label, exact: true }).click();
    await this.page.getByRole('option', { name: option }).first().click();
  }
  /** Draws an edge, with the whole flow in view. */
  async drawEdge(from: [id: string, exit: string], to: string): Promise<void> {
    await this.fitView();
    const edges = await this.page.locator('.react-flow__edge').count();
    await this.drag(this.exitOf(...from), this.entryOf(to));
    await this.hasEdges(edges + 1);
  }
  async drag(from: Locator, to: Locator): Promise<void> {
    await from.hover({ force: true });
    await this.page.mouse.down();
    await to.hover({ force: true });
    await this.page.mouse.up();
  }
  /** Resolves when exactly these steps exist. */
  async hasSteps(...ids: string[]): Promise<void> {
    await this.page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('.react-flow__node')]
          .map((node) => node.getAttribute('data-id'))
          .toSorted()
          .join(' ') === wanted,
      ids.toSorted().join(' '),
    );
  }
  async hasEdges(count: number): Promise<void> {
    await this.page.waitForFunction(
      (wanted) => document.querySelectorAll('.react-flow__edge').length === wanted,
      count,
    );
  }
  /** Presses Tab until an element with this name has the focus. */
  async tabTo(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    for (let tab = 0; tab < MOST_TABS; tab += 1) {
      await this.page.keyboard.press(key);
      const focused = await this.page.evaluate(() => {
        const { activeElement } = document;
        return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
      });
      if (name.test(focused)) return;
    }
    throw new Error(`Tab does not reach ${name}`);
  }
  /** The position of every step on the canvas. */
  picture(): Promise<string[]> {
    return this.page
      .locator('.react-flow__node')
      .evaluateAll((nodes) =>
        nodes
          .map((node) => `${node.getAttribute('data-id')} ${(node as HTMLElement).style.transform}`)
          .toSorted(),
      );
  }
  async save(): Promise<void> {
    await this.button('Save').click();
    await this.isSaved();
  }
  async isSaved(): Promise<void> {
    await this.page.getByText(/Saved just now|Saved \d/).waitFor();
  }
}
