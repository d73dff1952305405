import { Button } from '@clarion/ui';

export const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];

/** The keypad of a simulated or a test call. */
export function KeyGrid({ onPress }: { onPress(key: string): void }) {
  return (
    <div role="group" aria-label="Keypad" className="grid grid-cols-3 gap-2">
      {KEYS.map((key) => (
        <Button key={key} size="lg" aria-label={`Key ${key}`} onClick={() => onPress(key)}>
          {key}
        </Button>
      ))}
    </div>
  );
}
