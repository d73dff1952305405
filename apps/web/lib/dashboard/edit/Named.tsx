/** A name with its ref below. */
export function Named({ name, refText }: { name: string; refText: string }) {
  return (
    <span className="flex min-w-0 flex-col">
      <span className="truncate font-medium text-ink">{name}</span>
      {refText !== name && (
        <span className="truncate font-mono text-xs font-normal text-muted">{refText}</span>
      )}
    </span>
  );
}
