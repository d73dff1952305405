/** Two soft notes, twice, then a pause: audible across a room, and not annoying during a whole shift. */
const NOTES_HZ = [659.25, 880] as const;
const NOTE_SECONDS = 0.42;
const NOTE_GAP_SECONDS = 0.16;
const PAIRS = 2;
const PATTERN_SECONDS = 3;
const GAIN = 0.16;

/**
 * The ringtone. Browsers block audio until the user interacts with the page, so `unlock` is called on the first gesture. Before
 * that, `start` is silent; the ringtone then starts with the gesture.
 */
export class Ringtone {
  #context: AudioContext | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #output: GainNode | null = null;

  unlock(): void {
    this.#context ??= new AudioContext();
    if (this.#context.state === 'suspended') void this.#context.resume().catch(() => undefined);
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#play();
    this.#timer = setInterval(() => this.#play(), PATTERN_SECONDS * 1000);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#output?.disconnect();
    this.#output = null;
  }

  close(): void {
    this.stop();
    void this.#context?.close();
    this.#context = null;
  }

  #play(): void {
    const context = this.#context;
    if (context?.state !== 'running') return;
    const output = context.createGain();
    output.gain.value = GAIN;
    output.connect(context.destination);
    this.#output = output;
    const step = NOTE_SECONDS + NOTE_GAP_SECONDS;
    for (let index = 0; index < PAIRS * NOTES_HZ.length; index += 1)
      playNote(
        context,
        output,
        NOTES_HZ[index % NOTES_HZ.length] ?? NOTES_HZ[0],
        context.currentTime + index * step,
      );
  }
}

function playNote(context: AudioContext, output: GainNode, hz: number, at: number): void {
  const tone = context.createOscillator();
  tone.type = 'triangle';
  tone.frequency.value = hz;
  const envelope = context.createGain();
  envelope.gain.setValueAtTime(0, at);
  envelope.gain.linearRampToValueAtTime(1, at + 0.02);
  envelope.gain.exponentialRampToValueAtTime(0.001, at + NOTE_SECONDS);
  tone.connect(envelope).connect(output);
  tone.start(at);
  tone.stop(at + NOTE_SECONDS);
}
