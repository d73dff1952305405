/** A placeholder for a missing value. */
export function None() {
  return (
    <span className="text-muted">
      <span aria-hidden>–</span>
      <span className="sr-only">none</span>
    </span>
  );
}
