/** What must stay in reach at the bottom of a view that may scroll. */
export const footerClass = 'sticky bottom-0 z-1 w-full bg-surface pt-2 pb-4';
