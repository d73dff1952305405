/** The page in which a person plays a WhatsApp customer: connects the elements, the control API and the audio. */
import type { CallView } from '../world/call.ts';
import type { JournalEntry } from '../world/journal.ts';
import { control, follow, type Simulation } from './control-client.ts';
import { durationText, screenOf, type ButtonId } from './screen.ts';
import { story } from './story.ts';
import { openSource, Voice, type Source } from './voice.ts';

const DIGITS = [...'123456789*0#'];
const SHOWN_LINES = 40;
const KEPT_ENTRIES = 1000;
const TICK_MS = 500;

const find = <T extends HTMLElement>(id: string): T => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element as T;
};
const button = (id: ButtonId | 'ask-yes' | 'ask-no' | 'take-over'): HTMLButtonElement => find(id);

let simulation: Simulation | null = null;
let customer = '';
let business = '';
let connected = false;
let placing = false;
let permission = 'no_permission';
let asked: string | null = null;
let call: CallView | null = null;
let talkingSince: number | null = null;
let voice: Voice | null = null;
let stopFollowing = (): void => undefined;
let entries: JournalEntry[] = [];
/** Cleared by the next thing that the person does. */
let problem: string | null = null;
/** The button that had the focus is gone, and the next one is not there yet. */
let focusIsLost = false;

function show(): void {
  const screen = screenOf({ connected, business, call, placing, permission });
  find('status').textContent = screen.status;
  find('phone').classList.toggle('ringing', screen.ringing);
  const focused = document.activeElement;
  for (const [id, isShown] of Object.entries(screen.shown)) find(id).hidden = !isShown;
  keepFocus(focused);
  if (!screen.shown.keys) openKeypad(false);
  find('permission').textContent = screen.permission;
  find('duration').hidden = talkingSince === null;
  find('ask').hidden = asked === null;
  find('ask-title').textContent = `${business} would like to call you`;
  find('ask-text').textContent = asked ?? '';
  find('problem').hidden = problem === null;
  find('problem').textContent = problem;
  document.title = screen.ringing ? `Incoming call from ${business}` : `WhatsApp customer of ${business}`;
  showDuration();
}

/** A person with a keyboard stays at the buttons when the one that they pressed disappears. */
function keepFocus(focused: Element | null): void {
  if (focused instanceof HTMLButtonElement && focused.hidden) focusIsLost = true;
  if (!focusIsLost) return;
  const inPlace = focused?.closest('.permission') ? '.permission' : '.buttons';
  const next = document.querySelector<HTMLButtonElement>(`${inPlace} button:not([hidden])`);
  if (next === null) return;
  focusIsLost = false;
  next.focus();
}

function showDuration(): void {
  if (talkingSince !== null)
    find('duration').textContent = durationText((performance.now() - talkingSince) / 1000);
}

function showStory(): void {
  const lines = story(entries, { customer, business }).slice(-SHOWN_LINES).toReversed();
  find('story-empty').hidden = lines.length > 0;
  find('story').replaceChildren(
    ...lines.map(({ at, text, kind }) => {
      const item = document.createElement('li');
      const time = document.createElement('time');
      time.dateTime = at;
      time.textContent = new Date(at).toLocaleTimeString([], { hourCycle: 'h23' });
      const sentence = document.createElement('span');
      sentence.className = kind;
      sentence.textContent = text;
      item.append(time, sentence);
      return item;
    }),
  );
}

/** Runs what a button does; what goes wrong is shown. */
function run(work: () => Promise<unknown>): void {
  problem = null;
  show();
  work()
    .catch((error: unknown) => {
      problem = error instanceof Error ? error.message : String(error);
    })
    .finally(show);
}

function newVoice(): Voice {
  voice?.close();
  button('mute').ariaPressed = 'false';
  voice = new Voice((stream) => {
    find<HTMLAudioElement>('audio').srcObject = stream;
  });
  return voice;
}

/** The browser may ask the person for the microphone, so this may take a while. */
async function openMicrophone(): Promise<Source> {
  const source = await openSource();
  const note = find('source');
  note.textContent = source.note;
  note.hidden = source.note === null;
  return source;
}

function endVoice(): void {
  voice?.close();
  voice = null;
  find<HTMLAudioElement>('audio').srcObject = null;
  find('source').hidden = true;
}

async function place(): Promise<void> {
  placing = true;
  show();
  try {
    const source = await openMicrophone();
    await newVoice().speak(source);
    await control.call(customer);
  } catch (error) {
    endVoice();
    throw error;
  } finally {
    placing = false;
  }
}

async function accept(id: string): Promise<void> {
  button('accept').disabled = true;
  try {
    const source = await openMicrophone();
    if (voice === null) return source.stop(); // the caller has hung up in the meantime
    await voice.speak(source);
    await control.answer(id);
  } finally {
    button('accept').disabled = false;
  }
}

/** What the simulator asks of the page's RTCPeerConnection. */
async function take({ callId, step, sdp }: Extract<JournalEntry, { type: 'media' }>): Promise<void> {
  if (callId !== call?.id) return;
  if (step === 'make-offer' && voice) await control.media(callId, await voice.offer());
  if (step === 'apply-answer' && voice) await voice.apply(sdp ?? '');
  if (step === 'answer-offer') await control.media(callId, await newVoice().answer(sdp ?? ''));
}

function takeCall(changed: CallView): void {
  if (changed.customer !== customer) return;
  if (changed.state !== 'ended') {
    call = changed;
    if (changed.state === 'accepted') talkingSince ??= performance.now();
  } else if (call?.id === changed.id) {
    call = null;
    talkingSince = null;
    endVoice();
  }
}

function takeEntry(entry: JournalEntry): void {
  entries = [...entries.slice(1 - KEPT_ENTRIES), entry];
  if (entry.type === 'call') takeCall(entry.call);
  if (entry.type === 'media') run(() => take(entry));
  if (entry.type === 'permission_request' && entry.customer === customer) asked = entry.text;
  if (entry.type === 'permission' && entry.customer === customer) {
    permission = entry.status;
    asked = null;
  }
  show();
  showStory();
}

async function load(): Promise<void> {
  const [state, journal] = await Promise.all([control.state(), control.journal()]);
  simulation = state;
  const wanted = new URLSearchParams(location.search).get('customer');
  const person = state.customers.find(({ waId }) => waId === wanted) ?? state.customers[0];
  const [number] = state.numbers;
  if (!person || !number) throw new Error('the simulator has no customer or no business number');
  customer = person.waId;
  business = number.verifiedName;
  permission = person.permission.status;
  call = state.calls.find((each) => each.customer === customer && each.state !== 'ended') ?? null;
  entries = journal.entries;
  find('customer').textContent = `${person.name}, +${person.waId}`;
  find('business-name').textContent = business;
  find('business-number').textContent = `+${number.displayPhoneNumber}`;
  find('avatar').textContent = business.slice(0, 1).toUpperCase();
}

async function start(): Promise<void> {
  if (simulation === null) await load();
  return new Promise((_, reject) => {
    const stop = follow(customer, {
      open: () => {
        void load().then(() => {
          connected = true;
          show();
          showStory();
        }, reject);
      },
      entry: takeEntry,
      lost: () => {
        connected = false;
        call = null;
        talkingSince = null;
        endVoice();
        show();
      },
    });
    stopFollowing = () => {
      stop();
      endVoice();
    };
  });
}

/** One tab at a time is the phone: two would both answer the same call. */
async function beThePhone(steal: boolean): Promise<void> {
  find('elsewhere').hidden = true;
  const options = steal ? { steal } : { ifAvailable: true };
  try {
    await navigator.locks.request('phone', options, async (lock) => {
      if (lock === null) return;
      await start();
    });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) {
      problem = error instanceof Error ? error.message : String(error);
      show();
      return;
    }
  }
  stopFollowing();
  find('elsewhere').hidden = false;
  button('take-over').focus();
}

function openKeypad(open: boolean): void {
  find('keypad').hidden = !open;
  button('keys').ariaPressed = String(open);
}

function press(digit: string): void {
  run(async () => {
    if (!voice?.press(digit)) throw new Error('The business does not take digits in this call.');
  });
}

for (const digit of DIGITS) {
  const key = document.createElement('button');
  key.type = 'button';
  key.textContent = digit;
  key.ariaLabel = digit === '*' ? 'star' : digit === '#' ? 'hash' : digit;
  key.addEventListener('click', () => press(digit));
  find('keypad').append(key);
}
document.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey }) => {
  if (call?.state === 'accepted' && DIGITS.includes(key) && !ctrlKey && !metaKey && !altKey) press(key);
});

const ofCall = (work: (id: string) => Promise<unknown>) => () =>
  run(async () => (call === null ? undefined : work(call.id)));
button('call').addEventListener('click', () => run(place));
button('accept').addEventListener('click', ofCall(accept));
button('hang-up').addEventListener('click', ofCall(control.hangUp));
// Before it rings, only hanging up ends a call.
button('decline').addEventListener(
  'click',
  ofCall((id) => (call?.state === 'ringing' ? control.decline(id) : control.hangUp(id))),
);
button('mute').addEventListener('click', () => {
  const muted = button('mute').ariaPressed !== 'true';
  button('mute').ariaPressed = String(muted);
  if (voice) voice.muted = muted;
});
button('keys').addEventListener('click', () => openKeypad(find('keypad').hidden !== false));
button('allow').addEventListener('click', () => run(() => control.decide(customer, 'accept_permanently')));
button('stop').addEventListener('click', () => run(() => control.decide(customer, 'revoke')));
button('ask-yes').addEventListener('click', () => run(() => control.decide(customer, 'accept')));
button('ask-no').addEventListener('click', () => run(() => control.decide(customer, 'reject')));
button('take-over').addEventListener('click', () => void beThePhone(true));
setInterval(showDuration, TICK_MS);

void beThePhone(false);
