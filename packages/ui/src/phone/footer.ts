/** Classes of a footer that stays visible in a scrolling view. */
export const footerClass = 'sticky bottom-0 z-1 w-full bg-surface pt-2 pb-4';
