/** Runs once when the web process starts, before its first request. */
import { notePeers } from './lib/api/client-address.ts';

export function register(): void {
  notePeers();
}
