import { useEffect, useId, useRef, useState } from 'react';

/** The note is saved after a pause in typing of this length, and immediately when the field loses the focus. */
const SAVE_AFTER_MS = 800;
/** Enough for notes on a call, and small enough for any storage. */
const NOTE_MAX_CHARS = 4_000;

interface NoteFieldProps {
  note: string;
  onSave(text: string): void;
  rows?: number;
  /** Receives the focus when its sheet opens. */
  takesFocus?: boolean;
}

/** The agent's note about a call. Use the call's ID as the React key, so that each call has its own field. */
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
  // The note was changed elsewhere, in the sheet or by a reload.
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
