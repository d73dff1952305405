'use client';

/** A page outside the dashboard that failed to render. Every page loads this component, so it imports nothing. */
export default function PageBroke({ reset }: { reset(): void }) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center bg-canvas px-4 py-10 font-sans text-ink">
      <div className="w-full max-w-sm rounded-panel border border-line bg-surface p-6 shadow-card sm:p-8">
        <h1 className="text-xl font-semibold tracking-tight">This page could not be shown</h1>
        <p className="mt-1 mb-6 text-md text-muted">
          Something went wrong on our side. Try again in a moment.
        </p>
        <button
          type="button"
          onClick={reset}
          className="cl-focus min-h-11 rounded-control bg-accent px-4 text-md font-medium text-on-accent"
        >
          Try again
        </button>
      </div>
    </main>
  );
}
