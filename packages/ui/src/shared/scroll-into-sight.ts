/**
 * Scrolls a box just as far as an item in it needs to be seen. Unlike `scrollIntoView`, which newer Chromium also takes as the place where
 * the next Tab starts from (and so jumps over the skip link), it changes nothing but the box's position.
 */
export function scrollIntoSight(box: HTMLElement, item: Element): void {
  const frame = box.getBoundingClientRect();
  const { top, bottom } = item.getBoundingClientRect();
  if (top < frame.top) box.scrollTop -= frame.top - top;
  else if (bottom > frame.bottom) box.scrollTop += bottom - frame.bottom;
}
