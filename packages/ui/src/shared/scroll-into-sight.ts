/**
 * Scrolls a container just far enough to make an item in it visible. Unlike `scrollIntoView`, it changes nothing else: newer
 * versions of Chromium also make that the starting point of the next Tab, which then skips the skip link.
 */
export function scrollIntoSight(box: HTMLElement, item: Element): void {
  const frame = box.getBoundingClientRect();
  const { top, bottom } = item.getBoundingClientRect();
  if (top < frame.top) box.scrollTop -= frame.top - top;
  else if (bottom > frame.bottom) box.scrollTop += bottom - frame.bottom;
}
