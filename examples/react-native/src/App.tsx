import type { ReactElement } from 'react';
import { useEffect, useState } from 'react';
import { Button, Text, View } from 'react-native';
import type { Agent, Call } from '@clarion/sdk/react-native';
import { setUpCallKeep } from './callkeep-screen.ts';
import { calls, device, onAgent, signOut } from './phone.ts';
import { registerPushTokens } from './pushes.ts';

/** The view of the app while the user is signed in. Calls ring on the screen of the phone, not here. */
export function App(): ReactElement {
  const [agent, setAgent] = useState<Agent | null>(null);
  const [, setVersion] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => onAgent(setAgent), []);
  useEffect(() => {
    const start = async () => {
      await setUpCallKeep(calls);
      await registerPushTokens(device);
      await calls.onForeground(true);
    };
    start().catch((error: unknown) => setProblem(String(error)));
  }, []);
  useEffect(() => agent?.on('updated', () => setVersion((version) => version + 1)), [agent]);

  if (problem !== null) return <Text>{problem}</Text>;
  if (!agent) return <Text>Connecting…</Text>;
  const available = agent.info?.shift === 'AVAILABLE';
  return (
    <View>
      <Text>{`${agent.info?.name ?? ''}: ${agent.connection}`}</Text>
      <Button
        title={available ? 'Go offline' : 'Become available'}
        onPress={() => void agent.setAvailability(available ? 'OFFLINE' : 'AVAILABLE')}
      />
      {agent.calls.map((call) => (
        <CallView key={call.id} call={call} />
      ))}
      <Button title="Sign out" onPress={() => void signOut()} />
    </View>
  );
}

function CallView({ call }: { call: Call }): ReactElement {
  const { name, address } = call.customer;
  if (call.elsewhere)
    return <Button title="Continue the call on this phone" onPress={() => void call.resume()} />;
  return (
    <View>
      <Text>{`${name ?? address ?? 'Unknown'}: ${call.state}, ${call.quality}`}</Text>
      <Button
        title={call.muted ? 'Unmute' : 'Mute'}
        onPress={() => void calls.muteFromApp(call.id, !call.muted)}
      />
      <Button title={call.held ? 'Resume' : 'Hold'} onPress={() => void call.hold(!call.held)} />
      <Button title="Hang up" onPress={() => void call.hangup()} />
    </View>
  );
}
