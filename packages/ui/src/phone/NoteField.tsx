import { useEffect, useId, useRef, useState } from 'react';

/** A pause in typing this long saves what is there; leaving the field saves at once. */
const SAVE_AFTER_MS = 800;
/** Long enough for a conversation, short enough for any store behind it. */
const NOTE_MAX_CHARS = 4_000;

interface NoteFieldProps {
  note: string;
  onSave(text: string): void;
  rows?: number;
  /** The field takes the focus when its sheet opens. */
  takesFocus?: boolean;
}

/** What the agent writes down about a call. One field belongs to one call: give it the call's id as key. */
export function NoteField({ note, onSave, rows = 3, takesFocus = false }: NoteFieldProps) {
  const id = useId();
  const [text, setText] = useState(note);
  const unsaved = useRef<string | null>(null);
  const save = useRef(onSave);
  useEffect(() => {
    save.current = onSave;
  });
  const flush = () => {
    if (unsaved.current === null) return;
    save.current(unsaved.current);
    unsaved.current = null;
  };
  // Written elsewhere meanwhile: in the sheet, or after a reload.
  useEffect(() => {
    if (unsaved.current === null) setText(note);
  }, [note]);
  useEffect(() => {
    if (unsaved.current === null) return;
    const timer = setTimeout(flush, SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => flush, []);

  return (
    <div className="flex w-full flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium text-muted">
        Notes
      </label>
      <textarea
        id={id}
        rows={rows}
        maxLength={NOTE_MAX_CHARS}
        placeholder="Add a note about this call"
        className="cl-focus w-full resize-none rounded-control border border-line-strong bg-surface px-3 py-2 text-base text-ink placeholder:text-muted"
        value={text}
        onChange={(event) => {
          unsaved.current = event.target.value;
          setText(event.target.value);
        }}
        onBlur={flush}
        {...(takesFocus && { 'data-autofocus': true })}
      />
    </div>
  );
}
