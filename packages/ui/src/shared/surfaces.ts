/** Classes that components share, so that all fields and popups look the same. */

/** An input or select field. 16 px on touch screens, because phones zoom in on smaller text. */
export const controlClass =
  'cl-focus min-h-9 w-full min-w-0 rounded-control border border-line-strong bg-surface px-3 text-md text-ink transition-colors placeholder:text-muted data-invalid:border-negative aria-invalid:border-negative disabled:opacity-60 data-disabled:opacity-60 pointer-coarse:min-h-11 pointer-coarse:text-[1rem]';

/** A popup list. */
export const popupClass =
  'cl-pop max-h-(--available-height) overflow-y-auto overscroll-contain rounded-panel border border-line bg-surface p-1 text-ink shadow-card outline-hidden';

/** An item of a popup list. */
export const optionClass =
  'flex min-h-9 cursor-default items-center gap-2.5 rounded-control px-2.5 py-1.5 text-md outline-hidden select-none data-highlighted:bg-raised data-disabled:opacity-50 pointer-coarse:min-h-11';

export const backdropClass =
  'fixed inset-0 z-40 bg-backdrop transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0 motion-reduce:transition-none';
