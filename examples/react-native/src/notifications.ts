/** Notifications other than calls, by notifee. */
import notifee from '@notifee/react-native';

export async function showMissedCall(caller: string): Promise<void> {
  const channelId = await notifee.createChannel({ id: 'missed-calls', name: 'Missed calls' });
  await notifee.displayNotification({ title: 'Missed call', body: caller, android: { channelId } });
}
