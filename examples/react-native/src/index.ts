/** The entry point of the app. */
import { AppRegistry } from 'react-native';
import { App } from './App.tsx';
import { calls } from './phone.ts';
import { receivePushes } from './pushes.ts';

receivePushes(calls);
AppRegistry.registerComponent('ClarionExample', () => App);
