import { useState } from 'react';
import { Waveform, WaveformTrim } from '../waveform/index.ts';
import { show, wide, type Story } from './support.tsx';

export default { title: 'Waveform', ...wide };

const RATE_HZ = 8_000;
const SECONDS = 6;
const HEADER_BYTES = 44;

/** A WAV file with two alternating voices. */
function conversation(channels: 1 | 2): Blob {
  const frames = RATE_HZ * SECONDS;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + frames * channels * 2));
  const text = (at: number, word: string) =>
    [...word].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)));
  text(0, 'RIFF');
  view.setUint32(4, view.byteLength - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, RATE_HZ, true);
  view.setUint32(28, RATE_HZ * channels * 2, true);
  view.setUint16(32, channels * 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, frames * channels * 2, true);
  for (let frame = 0; frame < frames; frame += 1) {
    const second = frame / RATE_HZ;
    for (let channel = 0; channel < channels; channel += 1) {
      const speaks = Math.sin(second * 2 + channel * 3) > 0 ? Math.abs(Math.sin(second * 9)) : 0.01;
      view.setInt16(
        HEADER_BYTES + (frame * channels + channel) * 2,
        Math.sin(second * 2 * Math.PI * 220) * speaks * 20_000,
        true,
      );
    }
  }
  return new Blob([view.buffer], { type: 'audio/wav' });
}

const voices = [{ label: 'Caller' }, { label: 'Grace Hopper' }];

export const TwoVoices: Story = show(() => <Recording />);
function Recording() {
  const [audio] = useState(() => conversation(2));
  return <Waveform src={audio} channels={voices} downloadHref="#file" />;
}

export const OneVoice: Story = show(() => <Message />);
function Message() {
  const [audio] = useState(() => conversation(1));
  return <Waveform src={audio} channels={[{ label: 'Message' }]} label="Message" />;
}

export const NotDrawn: Story = show(() => (
  <Waveform src="data:," channels={voices} durationSeconds={9_000} />
));
export const NotLoaded: Story = show(() => <Waveform src="/nothing-here.ogg" channels={voices} />);

export const Trim: Story = show(() => <Trimmed />);
function Trimmed() {
  const [audio] = useState(() => conversation(1));
  const [part, setPart] = useState({ from: 1, to: 4.5 });
  return <WaveformTrim blob={audio} {...part} onChange={setPart} />;
}

export const TrimUnreadable: Story = show(() => <Unreadable />);
function Unreadable() {
  const [audio] = useState(() => new Blob(['not audio']));
  return <WaveformTrim blob={audio} from={0} to={1} onChange={() => undefined} />;
}
